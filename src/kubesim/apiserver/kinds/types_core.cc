// The fields of Kubernetes' types: the other types of the core group, and metadata. shape.h describes the syntax.
// parity: k8s.io/api and k8s.io/apimachinery v0.34: names, types, patch strategies, list types
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {

std::string_view core_types() {
  return R"(
ObjectMeta name:string?/1 generateName:string?/2 namespace:string?/3 selfLink:string?/4 uid:string?/5
  resourceVersion:string?/6 generation:long?/7 creationTimestamp:time/8 deletionTimestamp:time/9
  deletionGracePeriodSeconds:long/10 labels:{}string?/11 annotations:{}string?/12
  ownerReferences:[]OwnerReference@uid#uid?/13 finalizers:[]string@#?/14
  managedFields:[]ManagedFieldsEntry?/17
OwnerReference! apiVersion:string*/5 kind:string*/1 name:string*/3 uid:string*/4 controller:bool/6
  blockOwnerDeletion:bool/7
ManagedFieldsEntry manager:string?/1 operation:string?/2 apiVersion:string?/3 time:time/4
  fieldsType:string?/6 fieldsV1:any/7 subresource:string?/8
LabelSelector! matchLabels:{}string?/1 matchExpressions:[]LabelSelectorRequirement?/2
LabelSelectorRequirement key:string*/1 operator:string*/2 values:[]string?/3
DeleteOptions gracePeriodSeconds:long/1 preconditions:Preconditions/2 orphanDependents:bool/3
  propagationPolicy:string/4 dryRun:[]string?/5 ignoreStoreReadErrorWithClusterBreakingPotential:bool/6
Preconditions uid:string/1 resourceVersion:string/2
PodTemplate metadata:ObjectMeta/1 template:PodTemplateSpec/2
PodTemplateSpec metadata:ObjectMeta/1 spec:PodSpec/2
ConfigMap metadata:ObjectMeta/1 immutable:bool/4 data:{}string?/2 binaryData:{}bytes?/3
Endpoints metadata:ObjectMeta/1 subsets:[]EndpointSubset?/2
EndpointSubset addresses:[]EndpointAddress?/1 notReadyAddresses:[]EndpointAddress?/2 ports:[]EndpointPort?/3
EndpointAddress! ip:string*/1 hostname:string?/3 nodeName:string/4 targetRef:ObjectReference/2
EndpointPort! name:string?/1 port:int*/2 protocol:string?/3 appProtocol:string/4
ObjectReference! kind:string?/1 namespace:string?/2 name:string?/3 uid:string?/4 apiVersion:string?/5
  resourceVersion:string?/6 fieldPath:string?/7
Event metadata:ObjectMeta/1 involvedObject:ObjectReference*/2 reason:string?/3 message:string?/4
  source:EventSource/5 firstTimestamp:time/6 lastTimestamp:time/7 count:int?/8 type:string?/9
  eventTime:microtime/10 series:EventSeries/11 action:string?/12 related:ObjectReference/13
  reportingComponent:string/14 reportingInstance:string/15
EventSource component:string?/1 host:string?/2
EventSeries count:int?/1 lastObservedTime:microtime/2
LimitRange metadata:ObjectMeta/1 spec:LimitRangeSpec/2
LimitRangeSpec limits:[]LimitRangeItem*/1
LimitRangeItem type:string*/1 max:{}quantity?/2 min:{}quantity?/3 default:{}quantity?/4
  defaultRequest:{}quantity?/5 maxLimitRequestRatio:{}quantity?/6
Namespace metadata:ObjectMeta/1 spec:NamespaceSpec/2 status:NamespaceStatus/3
NamespaceSpec finalizers:[]string?/1
NamespaceStatus phase:string?/1 conditions:[]NamespaceCondition@type#type?/2
NamespaceCondition type:string*/1 status:string/2 lastTransitionTime:time/4 reason:string?/5
  message:string?/6
Node metadata:ObjectMeta/1 spec:NodeSpec/2 status:NodeStatus/3
NodeSpec podCIDR:string?/1 podCIDRs:[]string@#?/7 providerID:string?/3 unschedulable:bool?/4
  taints:[]Taint?/5 configSource:NodeConfigSource/6 externalID:string?/2
NodeStatus capacity:{}quantity?/1 allocatable:{}quantity?/2 phase:string?/3
  conditions:[]NodeCondition@type#type?/4 addresses:[]NodeAddress@type#type?/5
  daemonEndpoints:NodeDaemonEndpoints/6 nodeInfo:NodeSystemInfo/7 images:[]ContainerImage?/8
  volumesInUse:[]string?/9 volumesAttached:[]AttachedVolume?/10 config:NodeConfigStatus/11
  runtimeHandlers:[]NodeRuntimeHandler?/12 features:NodeFeatures/13
Taint key:string*/1 value:string?/2 effect:string*/3 timeAdded:time/4
NodeConfigSource configMap:ConfigMapNodeConfigSource/2
NodeCondition type:string*/1 status:string/2 lastHeartbeatTime:time/3 lastTransitionTime:time/4
  reason:string?/5 message:string?/6
NodeAddress type:string*/1 address:string*/2
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint/1
NodeSystemInfo machineID:string*/1 systemUUID:string*/2 bootID:string*/3 kernelVersion:string*/4
  osImage:string*/5 containerRuntimeVersion:string*/6 kubeletVersion:string*/7 kubeProxyVersion:string*/8
  operatingSystem:string*/9 architecture:string*/10 swap:NodeSwapStatus/11
ContainerImage names:[]string/1 sizeBytes:long?/2
AttachedVolume name:string*/1 devicePath:string*/2
NodeConfigStatus assigned:NodeConfigSource/1 active:NodeConfigSource/2 lastKnownGood:NodeConfigSource/3
  error:string?/4
NodeRuntimeHandler name:string/1 features:NodeRuntimeHandlerFeatures/2
NodeFeatures supplementalGroupsPolicy:bool/1
ConfigMapNodeConfigSource namespace:string*/1 name:string*/2 uid:string?/3 resourceVersion:string?/4
  kubeletConfigKey:string*/5
DaemonEndpoint Port:int*/1
NodeSwapStatus capacity:long/1
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:bool/1 userNamespaces:bool/2
PersistentVolumeClaim metadata:ObjectMeta/1 spec:PersistentVolumeClaimSpec/2
  status:PersistentVolumeClaimStatus/3
PersistentVolumeClaimStatus phase:string?/1 accessModes:[]string?/2 capacity:{}quantity?/3
  conditions:[]PersistentVolumeClaimCondition@type#type?/4 allocatedResources:{}quantity?/5
  allocatedResourceStatuses:{}string?/7 currentVolumeAttributesClassName:string/8
  modifyVolumeStatus:ModifyVolumeStatus/9
PersistentVolumeClaimCondition type:string*/1 status:string/2 lastProbeTime:time/3 lastTransitionTime:time/4
  reason:string?/5 message:string?/6
ModifyVolumeStatus targetVolumeAttributesClassName:string?/1 status:string/2
PersistentVolume metadata:ObjectMeta/1 spec:PersistentVolumeSpec/2 status:PersistentVolumeStatus/3
PersistentVolumeSpec capacity:{}quantity?/1 gcePersistentDisk:GCEPersistentDiskVolumeSource/2.1
  awsElasticBlockStore:AWSElasticBlockStoreVolumeSource/2.2 hostPath:HostPathVolumeSource/2.3
  glusterfs:GlusterfsPersistentVolumeSource/2.4 nfs:NFSVolumeSource/2.5 rbd:RBDPersistentVolumeSource/2.6
  iscsi:ISCSIPersistentVolumeSource/2.7 cinder:CinderPersistentVolumeSource/2.8
  cephfs:CephFSPersistentVolumeSource/2.9 fc:FCVolumeSource/2.10 flocker:FlockerVolumeSource/2.11
  flexVolume:FlexPersistentVolumeSource/2.12 azureFile:AzureFilePersistentVolumeSource/2.13
  vsphereVolume:VsphereVirtualDiskVolumeSource/2.14 quobyte:QuobyteVolumeSource/2.15
  azureDisk:AzureDiskVolumeSource/2.16 photonPersistentDisk:PhotonPersistentDiskVolumeSource/2.17
  portworxVolume:PortworxVolumeSource/2.18 scaleIO:ScaleIOPersistentVolumeSource/2.19
  local:LocalVolumeSource/2.20 storageos:StorageOSPersistentVolumeSource/2.21
  csi:CSIPersistentVolumeSource/2.22 accessModes:[]string?/3 claimRef:ObjectReference/4
  persistentVolumeReclaimPolicy:string?/5 storageClassName:string?/6 mountOptions:[]string?/7
  volumeMode:string/8 nodeAffinity:VolumeNodeAffinity/9 volumeAttributesClassName:string/10
PersistentVolumeStatus phase:string?/1 message:string?/2 reason:string?/3 lastPhaseTransitionTime:time/4
GlusterfsPersistentVolumeSource endpoints:string*/1 path:string*/2 readOnly:bool?/3
  endpointsNamespace:string/4
RBDPersistentVolumeSource monitors:[]string*/1 image:string*/2 fsType:string?/3 pool:string?/4
  user:string?/5 keyring:string?/6 secretRef:SecretReference/7 readOnly:bool?/8
ISCSIPersistentVolumeSource targetPortal:string*/1 iqn:string*/2 lun:int*/3 iscsiInterface:string?/4
  fsType:string?/5 readOnly:bool?/6 portals:[]string?/7 chapAuthDiscovery:bool?/8 chapAuthSession:bool?/11
  secretRef:SecretReference/10 initiatorName:string/12
CinderPersistentVolumeSource volumeID:string*/1 fsType:string?/2 readOnly:bool?/3
  secretRef:SecretReference/4
CephFSPersistentVolumeSource monitors:[]string*/1 path:string?/2 user:string?/3 secretFile:string?/4
  secretRef:SecretReference/5 readOnly:bool?/6
FlexPersistentVolumeSource driver:string*/1 fsType:string?/2 secretRef:SecretReference/3 readOnly:bool?/4
  options:{}string?/5
AzureFilePersistentVolumeSource secretName:string*/1 shareName:string*/2 readOnly:bool?/3
  secretNamespace:string/4
ScaleIOPersistentVolumeSource gateway:string*/1 system:string*/2 secretRef:SecretReference*/3
  sslEnabled:bool?/4 protectionDomain:string?/5 storagePool:string?/6 storageMode:string?/7
  volumeName:string?/8 fsType:string?/9 readOnly:bool?/10
LocalVolumeSource path:string*/1 fsType:string/2
StorageOSPersistentVolumeSource volumeName:string?/1 volumeNamespace:string?/2 fsType:string?/3
  readOnly:bool?/4 secretRef:ObjectReference/5
CSIPersistentVolumeSource driver:string*/1 volumeHandle:string*/2 readOnly:bool?/3 fsType:string?/4
  volumeAttributes:{}string?/5 controllerPublishSecretRef:SecretReference/6
  nodeStageSecretRef:SecretReference/7 nodePublishSecretRef:SecretReference/8
  controllerExpandSecretRef:SecretReference/9 nodeExpandSecretRef:SecretReference/10
VolumeNodeAffinity required:NodeSelector/1
SecretReference! name:string?/1 namespace:string?/2
ReplicationController metadata:ObjectMeta/1 spec:ReplicationControllerSpec/2
  status:ReplicationControllerStatus/3
ReplicationControllerSpec replicas:int/1 minReadySeconds:int?/4 selector:{}string!?/2
  template:PodTemplateSpec/3
ReplicationControllerStatus replicas:int*/1 fullyLabeledReplicas:int?/2 readyReplicas:int?/4
  availableReplicas:int?/5 observedGeneration:long?/3
  conditions:[]ReplicationControllerCondition@type#type?/6
ReplicationControllerCondition type:string*/1 status:string/2 lastTransitionTime:time/3 reason:string?/4
  message:string?/5
ResourceQuota metadata:ObjectMeta/1 spec:ResourceQuotaSpec/2 status:ResourceQuotaStatus/3
ResourceQuotaSpec hard:{}quantity?/1 scopes:[]string?/2 scopeSelector:ScopeSelector/3
ResourceQuotaStatus hard:{}quantity?/1 used:{}quantity?/2
ScopeSelector! matchExpressions:[]ScopedResourceSelectorRequirement?/1
ScopedResourceSelectorRequirement scopeName:string*/1 operator:string*/2 values:[]string?/3
Secret metadata:ObjectMeta/1 immutable:bool/5 data:{}bytes?/2 stringData:{}string?/4 type:string?/3
ServiceAccount metadata:ObjectMeta/1 secrets:[]ObjectReference@name#name?/2
  imagePullSecrets:[]LocalObjectReference?/3 automountServiceAccountToken:bool/4
Service metadata:ObjectMeta/1 spec:ServiceSpec/2 status:ServiceStatus/3
ServiceSpec ports:[]ServicePort@port#port,protocol?/1 selector:{}string!?/2 clusterIP:string?/3
  clusterIPs:[]string?/18 type:string?/4 externalIPs:[]string?/5 sessionAffinity:string?/7
  loadBalancerIP:string?/8 loadBalancerSourceRanges:[]string?/9 externalName:string?/10
  externalTrafficPolicy:string?/11 healthCheckNodePort:int?/12 publishNotReadyAddresses:bool?/13
  sessionAffinityConfig:SessionAffinityConfig/14 ipFamilies:[]string?/19 ipFamilyPolicy:string/17
  allocateLoadBalancerNodePorts:bool/20 loadBalancerClass:string/21 internalTrafficPolicy:string/22
  trafficDistribution:string/23
ServiceStatus loadBalancer:LoadBalancerStatus/1 conditions:[]Condition@type#type?/2
ServicePort name:string?/1 protocol:string?/2 appProtocol:string/6 port:int*/3 targetPort:intOrString/4
  nodePort:int?/5
SessionAffinityConfig clientIP:ClientIPConfig/1
LoadBalancerStatus ingress:[]LoadBalancerIngress?/1
Condition type:string*/1 status:string/2 observedGeneration:long?/3 lastTransitionTime:time*/4
  reason:string*/5 message:string*/6
ClientIPConfig timeoutSeconds:int/1
LoadBalancerIngress ip:string?/1 hostname:string?/2 ipMode:string/3 ports:[]PortStatus?/4
PortStatus port:int*/1 protocol:string*/2 error:string/3
Binding metadata:ObjectMeta/1 target:ObjectReference*/2
)";
}

}  // namespace tenon::kubesim::apiserver
