// The fields of Kubernetes' types: pods. shape.h describes the syntax.
// parity: k8s.io/api and k8s.io/apimachinery v0.34: names, types, patch strategies, list types
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {

std::string_view pod_types() {
  return R"(
Pod metadata:ObjectMeta/1 spec:PodSpec/2 status:PodStatus/3
PodSpec volumes:[]Volume@name^#name?/1 initContainers:[]Container@name#name?/20
  containers:[]Container@name#name*/2 ephemeralContainers:[]EphemeralContainer@name#name?/34
  restartPolicy:string?/3 terminationGracePeriodSeconds:long/4 activeDeadlineSeconds:long/5
  dnsPolicy:string?/6 nodeSelector:{}string!?/7 serviceAccountName:string?/8 serviceAccount:string?/9
  automountServiceAccountToken:bool/21 nodeName:string?/10 hostNetwork:bool?/11 hostPID:bool?/12
  hostIPC:bool?/13 shareProcessNamespace:bool/27 securityContext:PodSecurityContext/14
  imagePullSecrets:[]LocalObjectReference@name#name?/15 hostname:string?/16 subdomain:string?/17
  affinity:Affinity/18 schedulerName:string?/19 tolerations:[]Toleration?/22
  hostAliases:[]HostAlias@ip#ip?/23 priorityClassName:string?/24 priority:int/25 dnsConfig:PodDNSConfig/26
  readinessGates:[]PodReadinessGate?/28 runtimeClassName:string/29 enableServiceLinks:bool/30
  preemptionPolicy:string/31 overhead:{}quantity?/32
  topologySpreadConstraints:[]TopologySpreadConstraint@topologyKey#topologyKey,whenUnsatisfiable?/33
  setHostnameAsFQDN:bool/35 os:PodOS/36 hostUsers:bool/37 schedulingGates:[]PodSchedulingGate@name#name?/38
  resourceClaims:[]PodResourceClaim@name^#name?/39 resources:ResourceRequirements/40
  hostnameOverride:string/41
PodStatus observedGeneration:long?/17 phase:string?/1 conditions:[]PodCondition@type#type?/2
  message:string?/3 reason:string?/4 nominatedNodeName:string?/11 hostIP:string?/5 hostIPs:[]HostIP@ip?/16
  podIP:string?/6 podIPs:[]PodIP@ip#ip?/12 startTime:time/7 initContainerStatuses:[]ContainerStatus?/10
  containerStatuses:[]ContainerStatus?/8 qosClass:string?/9 ephemeralContainerStatuses:[]ContainerStatus?/13
  resize:string?/14 resourceClaimStatuses:[]PodResourceClaimStatus@name^#name?/15
  extendedResourceClaimStatus:PodExtendedResourceClaimStatus/18
Volume name:string*/1 hostPath:HostPathVolumeSource/2.1 emptyDir:EmptyDirVolumeSource/2.2
  gcePersistentDisk:GCEPersistentDiskVolumeSource/2.3
  awsElasticBlockStore:AWSElasticBlockStoreVolumeSource/2.4 gitRepo:GitRepoVolumeSource/2.5
  secret:SecretVolumeSource/2.6 nfs:NFSVolumeSource/2.7 iscsi:ISCSIVolumeSource/2.8
  glusterfs:GlusterfsVolumeSource/2.9 persistentVolumeClaim:PersistentVolumeClaimVolumeSource/2.10
  rbd:RBDVolumeSource/2.11 flexVolume:FlexVolumeSource/2.12 cinder:CinderVolumeSource/2.13
  cephfs:CephFSVolumeSource/2.14 flocker:FlockerVolumeSource/2.15 downwardAPI:DownwardAPIVolumeSource/2.16
  fc:FCVolumeSource/2.17 azureFile:AzureFileVolumeSource/2.18 configMap:ConfigMapVolumeSource/2.19
  vsphereVolume:VsphereVirtualDiskVolumeSource/2.20 quobyte:QuobyteVolumeSource/2.21
  azureDisk:AzureDiskVolumeSource/2.22 photonPersistentDisk:PhotonPersistentDiskVolumeSource/2.23
  projected:ProjectedVolumeSource/2.26 portworxVolume:PortworxVolumeSource/2.24
  scaleIO:ScaleIOVolumeSource/2.25 storageos:StorageOSVolumeSource/2.27 csi:CSIVolumeSource/2.28
  ephemeral:EphemeralVolumeSource/2.29 image:ImageVolumeSource/2.30
Container name:string*/1 image:string?/2 command:[]string?/3 args:[]string?/4 workingDir:string?/5
  ports:[]ContainerPort@containerPort#containerPort,protocol?/6 envFrom:[]EnvFromSource?/19
  env:[]EnvVar@name#name?/7 resources:ResourceRequirements/8 resizePolicy:[]ContainerResizePolicy?/23
  restartPolicy:string/24 restartPolicyRules:[]ContainerRestartRule?/25
  volumeMounts:[]VolumeMount@mountPath#mountPath?/9 volumeDevices:[]VolumeDevice@devicePath#devicePath?/21
  livenessProbe:Probe/10 readinessProbe:Probe/11 startupProbe:Probe/22 lifecycle:Lifecycle/12
  terminationMessagePath:string?/13 terminationMessagePolicy:string?/20 imagePullPolicy:string?/14
  securityContext:SecurityContext/15 stdin:bool?/16 stdinOnce:bool?/17 tty:bool?/18
EphemeralContainer name:string*/1.1 image:string?/1.2 command:[]string?/1.3 args:[]string?/1.4
  workingDir:string?/1.5 ports:[]ContainerPort@containerPort#containerPort,protocol?/1.6
  envFrom:[]EnvFromSource?/1.19 env:[]EnvVar@name#name?/1.7 resources:ResourceRequirements/1.8
  resizePolicy:[]ContainerResizePolicy?/1.23 restartPolicy:string/1.24
  restartPolicyRules:[]ContainerRestartRule?/1.25 volumeMounts:[]VolumeMount@mountPath#mountPath?/1.9
  volumeDevices:[]VolumeDevice@devicePath#devicePath?/1.21 livenessProbe:Probe/1.10
  readinessProbe:Probe/1.11 startupProbe:Probe/1.22 lifecycle:Lifecycle/1.12
  terminationMessagePath:string?/1.13 terminationMessagePolicy:string?/1.20 imagePullPolicy:string?/1.14
  securityContext:SecurityContext/1.15 stdin:bool?/1.16 stdinOnce:bool?/1.17 tty:bool?/1.18
  targetContainerName:string?/2
PodSecurityContext seLinuxOptions:SELinuxOptions/1 windowsOptions:WindowsSecurityContextOptions/8
  runAsUser:long/2 runAsGroup:long/6 runAsNonRoot:bool/3 supplementalGroups:[]long?/4
  supplementalGroupsPolicy:string/12 fsGroup:long/5 sysctls:[]Sysctl?/7 fsGroupChangePolicy:string/9
  seccompProfile:SeccompProfile/10 appArmorProfile:AppArmorProfile/11 seLinuxChangePolicy:string/13
LocalObjectReference! name:string?/1
Affinity nodeAffinity:NodeAffinity/1 podAffinity:PodAffinity/2 podAntiAffinity:PodAntiAffinity/3
Toleration key:string?/1 operator:string?/2 value:string?/3 effect:string?/4 tolerationSeconds:long/5
HostAlias ip:string*/1 hostnames:[]string?/2
PodDNSConfig nameservers:[]string?/1 searches:[]string?/2 options:[]PodDNSConfigOption?/3
PodReadinessGate conditionType:string*/1
TopologySpreadConstraint maxSkew:int*/1 topologyKey:string*/2 whenUnsatisfiable:string*/3
  labelSelector:LabelSelector/4 minDomains:int/5 nodeAffinityPolicy:string/6 nodeTaintsPolicy:string/7
  matchLabelKeys:[]string?/8
PodOS name:string*/1
PodSchedulingGate name:string*/1
PodResourceClaim name:string*/1 resourceClaimName:string/3 resourceClaimTemplateName:string/4
ResourceRequirements limits:{}quantity?/1 requests:{}quantity?/2 claims:[]ResourceClaim#name?/3
PodCondition type:string*/1 observedGeneration:long?/7 status:string/2 lastProbeTime:time/3
  lastTransitionTime:time/4 reason:string?/5 message:string?/6
HostIP ip:string*/1
PodIP ip:string*/1
ContainerStatus name:string*/1 state:ContainerState/2 lastState:ContainerState/3 ready:bool*/4
  restartCount:int*/5 image:string*/6 imageID:string*/7 containerID:string?/8 started:bool/9
  allocatedResources:{}quantity?/10 resources:ResourceRequirements/11
  volumeMounts:[]VolumeMountStatus@mountPath#mountPath?/12 user:ContainerUser/13
  allocatedResourcesStatus:[]ResourceStatus@name#name?/14 stopSignal:string/15
PodResourceClaimStatus name:string*/1 resourceClaimName:string/2
PodExtendedResourceClaimStatus requestMappings:[]ContainerExtendedResourceRequest*/1
  resourceClaimName:string*/2
HostPathVolumeSource path:string*/1 type:string/2
EmptyDirVolumeSource medium:string?/1 sizeLimit:quantity/2
GCEPersistentDiskVolumeSource pdName:string*/1 fsType:string?/2 partition:int?/3 readOnly:bool?/4
AWSElasticBlockStoreVolumeSource volumeID:string*/1 fsType:string?/2 partition:int?/3 readOnly:bool?/4
GitRepoVolumeSource repository:string*/1 revision:string?/2 directory:string?/3
SecretVolumeSource secretName:string?/1 items:[]KeyToPath?/2 defaultMode:int/3 optional:bool/4
NFSVolumeSource server:string*/1 path:string*/2 readOnly:bool?/3
ISCSIVolumeSource targetPortal:string*/1 iqn:string*/2 lun:int*/3 iscsiInterface:string?/4 fsType:string?/5
  readOnly:bool?/6 portals:[]string?/7 chapAuthDiscovery:bool?/8 chapAuthSession:bool?/11
  secretRef:LocalObjectReference/10 initiatorName:string/12
GlusterfsVolumeSource endpoints:string*/1 path:string*/2 readOnly:bool?/3
PersistentVolumeClaimVolumeSource claimName:string*/1 readOnly:bool?/2
RBDVolumeSource monitors:[]string*/1 image:string*/2 fsType:string?/3 pool:string?/4 user:string?/5
  keyring:string?/6 secretRef:LocalObjectReference/7 readOnly:bool?/8
FlexVolumeSource driver:string*/1 fsType:string?/2 secretRef:LocalObjectReference/3 readOnly:bool?/4
  options:{}string?/5
CinderVolumeSource volumeID:string*/1 fsType:string?/2 readOnly:bool?/3 secretRef:LocalObjectReference/4
CephFSVolumeSource monitors:[]string*/1 path:string?/2 user:string?/3 secretFile:string?/4
  secretRef:LocalObjectReference/5 readOnly:bool?/6
FlockerVolumeSource datasetName:string?/1 datasetUUID:string?/2
DownwardAPIVolumeSource items:[]DownwardAPIVolumeFile?/1 defaultMode:int/2
FCVolumeSource targetWWNs:[]string?/1 lun:int/2 fsType:string?/3 readOnly:bool?/4 wwids:[]string?/5
AzureFileVolumeSource secretName:string*/1 shareName:string*/2 readOnly:bool?/3
ConfigMapVolumeSource name:string?/1.1 items:[]KeyToPath?/2 defaultMode:int/3 optional:bool/4
VsphereVirtualDiskVolumeSource volumePath:string*/1 fsType:string?/2 storagePolicyName:string?/3
  storagePolicyID:string?/4
QuobyteVolumeSource registry:string*/1 volume:string*/2 readOnly:bool?/3 user:string?/4 group:string?/5
  tenant:string?/6
AzureDiskVolumeSource diskName:string*/1 diskURI:string*/2 cachingMode:string/3 fsType:string/4
  readOnly:bool/5 kind:string/6
PhotonPersistentDiskVolumeSource pdID:string*/1 fsType:string?/2
ProjectedVolumeSource sources:[]VolumeProjection/1 defaultMode:int/2
PortworxVolumeSource volumeID:string*/1 fsType:string?/2 readOnly:bool?/3
ScaleIOVolumeSource gateway:string*/1 system:string*/2 secretRef:LocalObjectReference*/3 sslEnabled:bool?/4
  protectionDomain:string?/5 storagePool:string?/6 storageMode:string?/7 volumeName:string?/8
  fsType:string?/9 readOnly:bool?/10
StorageOSVolumeSource volumeName:string?/1 volumeNamespace:string?/2 fsType:string?/3 readOnly:bool?/4
  secretRef:LocalObjectReference/5
CSIVolumeSource driver:string*/1 readOnly:bool/2 fsType:string/3 volumeAttributes:{}string?/4
  nodePublishSecretRef:LocalObjectReference/5
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate/1
ImageVolumeSource reference:string?/1 pullPolicy:string?/2
ContainerPort name:string?/1 hostPort:int?/2 containerPort:int*/3 protocol:string?/4 hostIP:string?/5
EnvFromSource prefix:string?/1 configMapRef:ConfigMapEnvSource/2 secretRef:SecretEnvSource/3
EnvVar name:string*/1 value:string?/2 valueFrom:EnvVarSource/3
ContainerResizePolicy resourceName:string*/1 restartPolicy:string*/2
ContainerRestartRule action:string?/1 exitCodes:ContainerRestartRuleOnExitCodes/2
VolumeMount name:string*/1 readOnly:bool?/2 recursiveReadOnly:string/7 mountPath:string*/3 subPath:string?/4
  mountPropagation:string/5 subPathExpr:string?/6
VolumeDevice name:string*/1 devicePath:string*/2
Probe exec:ExecAction/1.1 httpGet:HTTPGetAction/1.2 tcpSocket:TCPSocketAction/1.3 grpc:GRPCAction/1.4
  initialDelaySeconds:int?/2 timeoutSeconds:int?/3 periodSeconds:int?/4 successThreshold:int?/5
  failureThreshold:int?/6 terminationGracePeriodSeconds:long/7
Lifecycle postStart:LifecycleHandler/1 preStop:LifecycleHandler/2 stopSignal:string/3
SecurityContext capabilities:Capabilities/1 privileged:bool/2 seLinuxOptions:SELinuxOptions/3
  windowsOptions:WindowsSecurityContextOptions/10 runAsUser:long/4 runAsGroup:long/8 runAsNonRoot:bool/5
  readOnlyRootFilesystem:bool/6 allowPrivilegeEscalation:bool/7 procMount:string/9
  seccompProfile:SeccompProfile/11 appArmorProfile:AppArmorProfile/12
SELinuxOptions user:string?/1 role:string?/2 type:string?/3 level:string?/4
WindowsSecurityContextOptions gmsaCredentialSpecName:string/1 gmsaCredentialSpec:string/2
  runAsUserName:string/3 hostProcess:bool/4
Sysctl name:string*/1 value:string*/2
SeccompProfile type:string*/1 localhostProfile:string/2
AppArmorProfile type:string*/1 localhostProfile:string/2
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:NodeSelector/1
  preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm?/2
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm?/1
  preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm?/2
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm?/1
  preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm?/2
PodDNSConfigOption name:string?/1 value:string/2
ResourceClaim name:string*/1 request:string?/2
ContainerState waiting:ContainerStateWaiting/1 running:ContainerStateRunning/2
  terminated:ContainerStateTerminated/3
VolumeMountStatus name:string*/1 mountPath:string*/2 readOnly:bool?/3 recursiveReadOnly:string/4
ContainerUser linux:LinuxContainerUser/1
ResourceStatus name:string*/1 resources:[]ResourceHealth#resourceID?/2
ContainerExtendedResourceRequest containerName:string*/1 resourceName:string*/2 requestName:string*/3
KeyToPath key:string*/1 path:string*/2 mode:int/3
DownwardAPIVolumeFile path:string*/1 fieldRef:ObjectFieldSelector/2 resourceFieldRef:ResourceFieldSelector/3
  mode:int/4
VolumeProjection secret:SecretProjection/1 downwardAPI:DownwardAPIProjection/2
  configMap:ConfigMapProjection/3 serviceAccountToken:ServiceAccountTokenProjection/4
  clusterTrustBundle:ClusterTrustBundleProjection/5 podCertificate:PodCertificateProjection/6
PersistentVolumeClaimTemplate metadata:ObjectMeta/1 spec:PersistentVolumeClaimSpec/2
ConfigMapEnvSource name:string?/1.1 optional:bool/2
SecretEnvSource name:string?/1.1 optional:bool/2
EnvVarSource fieldRef:ObjectFieldSelector/1 resourceFieldRef:ResourceFieldSelector/2
  configMapKeyRef:ConfigMapKeySelector/3 secretKeyRef:SecretKeySelector/4 fileKeyRef:FileKeySelector/5
ContainerRestartRuleOnExitCodes operator:string?/1 values:[]int#?/2
ExecAction command:[]string?/1
HTTPGetAction path:string?/1 port:intOrString*/2 host:string?/3 scheme:string?/4 httpHeaders:[]HTTPHeader?/5
TCPSocketAction port:intOrString*/1 host:string?/2
GRPCAction port:int*/1 service:string/2
LifecycleHandler exec:ExecAction/1 httpGet:HTTPGetAction/2 tcpSocket:TCPSocketAction/3 sleep:SleepAction/4
Capabilities add:[]string?/1 drop:[]string?/2
NodeSelector! nodeSelectorTerms:[]NodeSelectorTerm*/1
PreferredSchedulingTerm weight:int*/1 preference:NodeSelectorTerm*/2
PodAffinityTerm labelSelector:LabelSelector/1 namespaces:[]string?/2 topologyKey:string*/3
  namespaceSelector:LabelSelector/4 matchLabelKeys:[]string?/5 mismatchLabelKeys:[]string?/6
WeightedPodAffinityTerm weight:int*/1 podAffinityTerm:PodAffinityTerm*/2
ContainerStateWaiting reason:string?/1 message:string?/2
ContainerStateRunning startedAt:time/1
ContainerStateTerminated exitCode:int*/1 signal:int?/2 reason:string?/3 message:string?/4 startedAt:time/5
  finishedAt:time/6 containerID:string?/7
LinuxContainerUser uid:long*/1 gid:long*/2 supplementalGroups:[]long?/3
ResourceHealth resourceID:string*/1 health:string?/2
ObjectFieldSelector! apiVersion:string?/1 fieldPath:string*/2
ResourceFieldSelector! containerName:string?/1 resource:string*/2 divisor:quantity/3
SecretProjection name:string?/1.1 items:[]KeyToPath?/2 optional:bool/4
DownwardAPIProjection items:[]DownwardAPIVolumeFile?/1
ConfigMapProjection name:string?/1.1 items:[]KeyToPath?/2 optional:bool/4
ServiceAccountTokenProjection audience:string?/1 expirationSeconds:long/2 path:string*/3
ClusterTrustBundleProjection name:string/1 signerName:string/2 labelSelector:LabelSelector/3 optional:bool/5
  path:string*/4
PodCertificateProjection signerName:string?/1 keyType:string?/2 maxExpirationSeconds:int/3
  credentialBundlePath:string?/4 keyPath:string?/5 certificateChainPath:string?/6
PersistentVolumeClaimSpec accessModes:[]string?/1 selector:LabelSelector/4
  resources:VolumeResourceRequirements/2 volumeName:string?/3 storageClassName:string/5 volumeMode:string/6
  dataSource:TypedLocalObjectReference/7 dataSourceRef:TypedObjectReference/8
  volumeAttributesClassName:string/9
ConfigMapKeySelector! name:string?/1.1 key:string*/2 optional:bool/3
SecretKeySelector! name:string?/1.1 key:string*/2 optional:bool/3
FileKeySelector! volumeName:string*/1 path:string*/2 key:string*/3 optional:bool/4
HTTPHeader name:string*/1 value:string*/2
SleepAction seconds:long*/1
NodeSelectorTerm! matchExpressions:[]NodeSelectorRequirement?/1 matchFields:[]NodeSelectorRequirement?/2
VolumeResourceRequirements limits:{}quantity?/1 requests:{}quantity?/2
TypedLocalObjectReference! apiGroup:string/1 kind:string*/2 name:string*/3
TypedObjectReference apiGroup:string/1 kind:string*/2 name:string*/3 namespace:string/4
NodeSelectorRequirement key:string*/1 operator:string*/2 values:[]string?/3
)";
}

}  // namespace tenon::kubesim::apiserver
