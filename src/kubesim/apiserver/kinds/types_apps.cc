// The fields of Kubernetes' types: the other groups. shape.h describes the syntax.
// parity: k8s.io/api and k8s.io/apimachinery v0.34: names, types, patch strategies, list types
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {

std::string_view apps_types() {
  return R"(
ControllerRevision metadata:ObjectMeta/1 data:any/2 revision:long*/3
DaemonSet metadata:ObjectMeta/1 spec:DaemonSetSpec/2 status:DaemonSetStatus/3
DaemonSetSpec selector:LabelSelector*/1 template:PodTemplateSpec*/2 updateStrategy:DaemonSetUpdateStrategy/3
  minReadySeconds:int?/4 revisionHistoryLimit:int/6
DaemonSetStatus currentNumberScheduled:int*/1 numberMisscheduled:int*/2 desiredNumberScheduled:int*/3
  numberReady:int*/4 observedGeneration:long?/5 updatedNumberScheduled:int?/6 numberAvailable:int?/7
  numberUnavailable:int?/8 collisionCount:int/9 conditions:[]DaemonSetCondition@type#type?/10
DaemonSetUpdateStrategy type:string?/1 rollingUpdate:RollingUpdateDaemonSet/2
DaemonSetCondition type:string*/1 status:string/2 lastTransitionTime:time/3 reason:string?/4
  message:string?/5
RollingUpdateDaemonSet maxUnavailable:intOrString/1 maxSurge:intOrString/2
Deployment metadata:ObjectMeta/1 spec:DeploymentSpec/2 status:DeploymentStatus/3
DeploymentSpec replicas:int/1 selector:LabelSelector*/2 template:PodTemplateSpec*/3
  strategy:DeploymentStrategy^/4 minReadySeconds:int?/5 revisionHistoryLimit:int/6 paused:bool?/7
  progressDeadlineSeconds:int/9
DeploymentStatus observedGeneration:long?/1 replicas:int?/2 updatedReplicas:int?/3 readyReplicas:int?/7
  availableReplicas:int?/4 unavailableReplicas:int?/5 terminatingReplicas:int/9
  conditions:[]DeploymentCondition@type#type?/6 collisionCount:int/8
DeploymentStrategy type:string?/1 rollingUpdate:RollingUpdateDeployment/2
DeploymentCondition type:string*/1 status:string/2 lastUpdateTime:time/6 lastTransitionTime:time/7
  reason:string?/4 message:string?/5
RollingUpdateDeployment maxUnavailable:intOrString/1 maxSurge:intOrString/2
ReplicaSet metadata:ObjectMeta/1 spec:ReplicaSetSpec/2 status:ReplicaSetStatus/3
ReplicaSetSpec replicas:int/1 minReadySeconds:int?/4 selector:LabelSelector*/2 template:PodTemplateSpec/3
ReplicaSetStatus replicas:int*/1 fullyLabeledReplicas:int?/2 readyReplicas:int?/4 availableReplicas:int?/5
  terminatingReplicas:int/7 observedGeneration:long?/3 conditions:[]ReplicaSetCondition@type#type?/6
ReplicaSetCondition type:string*/1 status:string/2 lastTransitionTime:time/3 reason:string?/4
  message:string?/5
StatefulSet metadata:ObjectMeta/1 spec:StatefulSetSpec/2 status:StatefulSetStatus/3
StatefulSetSpec replicas:int/1 selector:LabelSelector*/2 template:PodTemplateSpec*/3
  volumeClaimTemplates:[]PersistentVolumeClaim?/4 serviceName:string/5 podManagementPolicy:string?/6
  updateStrategy:StatefulSetUpdateStrategy/7 revisionHistoryLimit:int/8 minReadySeconds:int?/9
  persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy/10
  ordinals:StatefulSetOrdinals/11
StatefulSetStatus observedGeneration:long?/1 replicas:int*/2 readyReplicas:int?/3 currentReplicas:int?/4
  updatedReplicas:int?/5 currentRevision:string?/6 updateRevision:string?/7 collisionCount:int/9
  conditions:[]StatefulSetCondition@type#type?/10 availableReplicas:int/11
StatefulSetUpdateStrategy type:string?/1 rollingUpdate:RollingUpdateStatefulSetStrategy/2
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:string?/1 whenScaled:string?/2
StatefulSetOrdinals start:int/1
StatefulSetCondition type:string*/1 status:string/2 lastTransitionTime:time/3 reason:string?/4
  message:string?/5
RollingUpdateStatefulSetStrategy partition:int/1 maxUnavailable:intOrString/2
CronJob metadata:ObjectMeta/1 spec:CronJobSpec/2 status:CronJobStatus/3
CronJobSpec schedule:string*/1 timeZone:string/8 startingDeadlineSeconds:long/2 concurrencyPolicy:string?/3
  suspend:bool/4 jobTemplate:JobTemplateSpec*/5 successfulJobsHistoryLimit:int/6
  failedJobsHistoryLimit:int/7
CronJobStatus active:[]ObjectReference?/1 lastScheduleTime:time/4 lastSuccessfulTime:time/5
JobTemplateSpec metadata:ObjectMeta/1 spec:JobSpec/2
JobSpec parallelism:int/1 completions:int/2 activeDeadlineSeconds:long/3
  podFailurePolicy:PodFailurePolicy/11 successPolicy:SuccessPolicy/16 backoffLimit:int/7
  backoffLimitPerIndex:int/12 maxFailedIndexes:int/13 selector:LabelSelector/4 manualSelector:bool/5
  template:PodTemplateSpec*/6 ttlSecondsAfterFinished:int/8 completionMode:string/9 suspend:bool/10
  podReplacementPolicy:string/14 managedBy:string/15
PodFailurePolicy rules:[]PodFailurePolicyRule*/1
SuccessPolicy rules:[]SuccessPolicyRule*/1
PodFailurePolicyRule action:string*/1 onExitCodes:PodFailurePolicyOnExitCodesRequirement/2
  onPodConditions:[]PodFailurePolicyOnPodConditionsPattern?/3
SuccessPolicyRule succeededIndexes:string/1 succeededCount:int/2
PodFailurePolicyOnExitCodesRequirement containerName:string/1 operator:string*/2 values:[]int#*/3
PodFailurePolicyOnPodConditionsPattern type:string*/1 status:string/2
Job metadata:ObjectMeta/1 spec:JobSpec/2 status:JobStatus/3
JobStatus conditions:[]JobCondition@type?/1 startTime:time/2 completionTime:time/3 active:int?/4
  succeeded:int?/5 failed:int?/6 terminating:int/11 completedIndexes:string?/7 failedIndexes:string/10
  uncountedTerminatedPods:UncountedTerminatedPods/8 ready:int/9
JobCondition type:string*/1 status:string/2 lastProbeTime:time/3 lastTransitionTime:time/4 reason:string?/5
  message:string?/6
UncountedTerminatedPods succeeded:[]string#?/1 failed:[]string#?/2
HorizontalPodAutoscaler metadata:ObjectMeta/1 spec:HorizontalPodAutoscalerSpec/2
  status:HorizontalPodAutoscalerStatus/3
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference*/1 minReplicas:int/2
  maxReplicas:int*/3 metrics:[]MetricSpec?/4 behavior:HorizontalPodAutoscalerBehavior/5
HorizontalPodAutoscalerStatus observedGeneration:long/1 lastScaleTime:time/2 currentReplicas:int?/3
  desiredReplicas:int*/4 currentMetrics:[]MetricStatus/5
  conditions:[]HorizontalPodAutoscalerCondition@type#type?/6
CrossVersionObjectReference kind:string*/1 name:string*/2 apiVersion:string?/3
MetricSpec type:string*/1 object:ObjectMetricSource/2 pods:PodsMetricSource/3
  resource:ResourceMetricSource/4 containerResource:ContainerResourceMetricSource/7
  external:ExternalMetricSource/5
HorizontalPodAutoscalerBehavior scaleUp:HPAScalingRules/1 scaleDown:HPAScalingRules/2
MetricStatus type:string*/1 object:ObjectMetricStatus/2 pods:PodsMetricStatus/3
  resource:ResourceMetricStatus/4 containerResource:ContainerResourceMetricStatus/7
  external:ExternalMetricStatus/5
HorizontalPodAutoscalerCondition type:string*/1 status:string/2 lastTransitionTime:time/3 reason:string?/4
  message:string?/5
ObjectMetricSource describedObject:CrossVersionObjectReference*/1 target:MetricTarget*/2
  metric:MetricIdentifier*/3
PodsMetricSource metric:MetricIdentifier*/1 target:MetricTarget*/2
ResourceMetricSource name:string*/1 target:MetricTarget*/2
ContainerResourceMetricSource name:string*/1 target:MetricTarget*/2 container:string*/3
ExternalMetricSource metric:MetricIdentifier*/1 target:MetricTarget*/2
HPAScalingRules stabilizationWindowSeconds:int/3 selectPolicy:string/1 policies:[]HPAScalingPolicy?/2
  tolerance:quantity/4
ObjectMetricStatus metric:MetricIdentifier*/1 current:MetricValueStatus*/2
  describedObject:CrossVersionObjectReference*/3
PodsMetricStatus metric:MetricIdentifier*/1 current:MetricValueStatus*/2
ResourceMetricStatus name:string*/1 current:MetricValueStatus*/2
ContainerResourceMetricStatus name:string*/1 current:MetricValueStatus*/2 container:string*/3
ExternalMetricStatus metric:MetricIdentifier*/1 current:MetricValueStatus*/2
MetricTarget type:string*/1 value:quantity/2 averageValue:quantity/3 averageUtilization:int/4
MetricIdentifier name:string*/1 selector:LabelSelector/2
HPAScalingPolicy type:string*/1 value:int*/2 periodSeconds:int*/3
MetricValueStatus value:quantity/1 averageValue:quantity/2 averageUtilization:int/3
autoscaling1.HorizontalPodAutoscaler metadata:ObjectMeta/1 spec:autoscaling1.HorizontalPodAutoscalerSpec/2
  status:autoscaling1.HorizontalPodAutoscalerStatus/3
autoscaling1.HorizontalPodAutoscalerSpec scaleTargetRef:autoscaling1.CrossVersionObjectReference*/1
  minReplicas:int/2 maxReplicas:int*/3 targetCPUUtilizationPercentage:int/4
autoscaling1.HorizontalPodAutoscalerStatus observedGeneration:long/1 lastScaleTime:time/2
  currentReplicas:int*/3 desiredReplicas:int*/4 currentCPUUtilizationPercentage:int/5
autoscaling1.CrossVersionObjectReference! kind:string*/1 name:string*/2 apiVersion:string?/3
Scale metadata:ObjectMeta/1 spec:ScaleSpec/2 status:ScaleStatus/3
ScaleSpec replicas:int?/1
ScaleStatus replicas:int*/1 selector:string?/2
PodDisruptionBudget metadata:ObjectMeta/1 spec:PodDisruptionBudgetSpec/2 status:PodDisruptionBudgetStatus/3
PodDisruptionBudgetSpec minAvailable:intOrString/1 selector:LabelSelector/2 maxUnavailable:intOrString/3
  unhealthyPodEvictionPolicy:string/4
PodDisruptionBudgetStatus observedGeneration:long?/1 disruptedPods:{}time?/2 disruptionsAllowed:int*/3
  currentHealthy:int*/4 desiredHealthy:int*/5 expectedPods:int*/6 conditions:[]Condition@type#type?/7
Eviction metadata:ObjectMeta/1 deleteOptions:DeleteOptions/2
IngressClass metadata:ObjectMeta/1 spec:IngressClassSpec/2
IngressClassSpec controller:string?/1 parameters:IngressClassParametersReference/2
IngressClassParametersReference apiGroup:string/1 kind:string*/2 name:string*/3 scope:string/4
  namespace:string/5
Ingress metadata:ObjectMeta/1 spec:IngressSpec/2 status:IngressStatus/3
IngressSpec ingressClassName:string/4 defaultBackend:IngressBackend/1 tls:[]IngressTLS?/2
  rules:[]IngressRule?/3
IngressStatus loadBalancer:IngressLoadBalancerStatus/1
IngressBackend service:IngressServiceBackend/4 resource:TypedLocalObjectReference/3
IngressTLS hosts:[]string?/1 secretName:string?/2
IngressRule host:string?/1 http:HTTPIngressRuleValue/2.1
IngressLoadBalancerStatus ingress:[]IngressLoadBalancerIngress?/1
IngressServiceBackend name:string*/1 port:ServiceBackendPort/2
HTTPIngressRuleValue paths:[]HTTPIngressPath*/1
IngressLoadBalancerIngress ip:string?/1 hostname:string?/2 ports:[]IngressPortStatus?/4
ServiceBackendPort! name:string?/1 number:int?/2
HTTPIngressPath path:string?/1 pathType:string*/3 backend:IngressBackend*/2
IngressPortStatus port:int*/1 protocol:string*/2 error:string/3
NetworkPolicy metadata:ObjectMeta/1 spec:NetworkPolicySpec/2
NetworkPolicySpec podSelector:LabelSelector/1 ingress:[]NetworkPolicyIngressRule?/2
  egress:[]NetworkPolicyEgressRule?/3 policyTypes:[]string?/4
NetworkPolicyIngressRule ports:[]NetworkPolicyPort?/1 from:[]NetworkPolicyPeer?/2
NetworkPolicyEgressRule ports:[]NetworkPolicyPort?/1 to:[]NetworkPolicyPeer?/2
NetworkPolicyPort protocol:string/1 port:intOrString/2 endPort:int/3
NetworkPolicyPeer podSelector:LabelSelector/1 namespaceSelector:LabelSelector/2 ipBlock:IPBlock/3
IPBlock cidr:string*/1 except:[]string?/2
CSIDriver metadata:ObjectMeta/1 spec:CSIDriverSpec/2
CSIDriverSpec attachRequired:bool/1 podInfoOnMount:bool/2 volumeLifecycleModes:[]string#?/3
  storageCapacity:bool/4 fsGroupPolicy:string/5 tokenRequests:[]TokenRequest?/6 requiresRepublish:bool/7
  seLinuxMount:bool/8 nodeAllocatableUpdatePeriodSeconds:long/9
TokenRequest audience:string*/1 expirationSeconds:long/2
CSINode metadata:ObjectMeta/1 spec:CSINodeSpec/2
CSINodeSpec drivers:[]CSINodeDriver@name#name*/1
CSINodeDriver name:string*/1 nodeID:string*/2 topologyKeys:[]string/3 allocatable:VolumeNodeResources/4
VolumeNodeResources count:int/1
CSIStorageCapacity metadata:ObjectMeta/1 nodeTopology:LabelSelector/2 storageClassName:string*/3
  capacity:quantity/4 maximumVolumeSize:quantity/5
StorageClass metadata:ObjectMeta/1 provisioner:string*/2 parameters:{}string?/3 reclaimPolicy:string/4
  mountOptions:[]string?/5 allowVolumeExpansion:bool/6 volumeBindingMode:string/7
  allowedTopologies:[]TopologySelectorTerm?/8
TopologySelectorTerm! matchLabelExpressions:[]TopologySelectorLabelRequirement?/1
TopologySelectorLabelRequirement key:string*/1 values:[]string*/2
VolumeAttachment metadata:ObjectMeta/1 spec:VolumeAttachmentSpec/2 status:VolumeAttachmentStatus/3
VolumeAttachmentSpec attacher:string*/1 source:VolumeAttachmentSource*/2 nodeName:string*/3
VolumeAttachmentStatus attached:bool*/1 attachmentMetadata:{}string?/2 attachError:VolumeError/3
  detachError:VolumeError/4
VolumeAttachmentSource persistentVolumeName:string/1 inlineVolumeSpec:PersistentVolumeSpec/2
VolumeError time:time/1 message:string?/2 errorCode:int/3
ClusterRole metadata:ObjectMeta/1 rules:[]PolicyRule/2 aggregationRule:AggregationRule/3
PolicyRule verbs:[]string*/1 apiGroups:[]string?/2 resources:[]string?/3 resourceNames:[]string?/4
  nonResourceURLs:[]string?/5
AggregationRule clusterRoleSelectors:[]LabelSelector?/1
ClusterRoleBinding metadata:ObjectMeta/1 subjects:[]Subject?/2 roleRef:RoleRef*/3
Subject! kind:string*/1 apiGroup:string?/2 name:string*/3 namespace:string?/4
RoleRef! apiGroup:string*/1 kind:string*/2 name:string*/3
Role metadata:ObjectMeta/1 rules:[]PolicyRule/2
RoleBinding metadata:ObjectMeta/1 subjects:[]Subject?/2 roleRef:RoleRef*/3
PriorityClass metadata:ObjectMeta/1 value:int*/2 globalDefault:bool?/3 description:string?/4
  preemptionPolicy:string/5
Lease metadata:ObjectMeta/1 spec:LeaseSpec/2
LeaseSpec holderIdentity:string/1 leaseDurationSeconds:int/2 acquireTime:microtime/3 renewTime:microtime/4
  leaseTransitions:int/5 strategy:string/6 preferredHolder:string/7
EndpointSlice metadata:ObjectMeta/1 addressType:string*/4 endpoints:[]Endpoint*/2
  ports:[]discovery.EndpointPort/3
Endpoint addresses:[]string#*/1 conditions:EndpointConditions/2 hostname:string/3
  targetRef:ObjectReference/4 deprecatedTopology:{}string?/5 nodeName:string/6 zone:string/7
  hints:EndpointHints/8
discovery.EndpointPort! name:string/1 protocol:string/2 port:int/3 appProtocol:string/4
EndpointConditions ready:bool/1 serving:bool/2 terminating:bool/3
EndpointHints forZones:[]ForZone?/1 forNodes:[]ForNode?/2
ForZone name:string*/1
ForNode name:string*/1
MutatingWebhookConfiguration metadata:ObjectMeta/1 webhooks:[]MutatingWebhook@name#name?/2
MutatingWebhook name:string*/1 clientConfig:WebhookClientConfig*/2 rules:[]RuleWithOperations?/3
  failurePolicy:string/4 matchPolicy:string/9 namespaceSelector:LabelSelector/5
  objectSelector:LabelSelector/11 sideEffects:string*/6 timeoutSeconds:int/7
  admissionReviewVersions:[]string*/8 reinvocationPolicy:string/10
  matchConditions:[]MatchCondition@name#name?/12
WebhookClientConfig url:string/3 service:ServiceReference/1 caBundle:bytes?/2
RuleWithOperations operations:[]string?/1 apiGroups:[]string?/2.1 apiVersions:[]string?/2.2
  resources:[]string?/2.3 scope:string/2.4
MatchCondition name:string*/1 expression:string*/2
ServiceReference namespace:string*/1 name:string*/2 path:string/3 port:int/4
ValidatingWebhookConfiguration metadata:ObjectMeta/1 webhooks:[]ValidatingWebhook@name#name?/2
ValidatingWebhook name:string*/1 clientConfig:WebhookClientConfig*/2 rules:[]RuleWithOperations?/3
  failurePolicy:string/4 matchPolicy:string/9 namespaceSelector:LabelSelector/5
  objectSelector:LabelSelector/10 sideEffects:string*/6 timeoutSeconds:int/7
  admissionReviewVersions:[]string*/8 matchConditions:[]MatchCondition@name#name?/11
events.Event metadata:ObjectMeta/1 eventTime:microtime*/2 series:events.EventSeries/3
  reportingController:string?/4 reportingInstance:string?/5 action:string?/6 reason:string?/7
  regarding:ObjectReference/8 related:ObjectReference/9 note:string?/10 type:string?/11
  deprecatedSource:EventSource/12 deprecatedFirstTimestamp:time/13 deprecatedLastTimestamp:time/14
  deprecatedCount:int?/15
events.EventSeries count:int*/1 lastObservedTime:microtime*/2
TokenReview metadata:ObjectMeta/1 spec:TokenReviewSpec/2 status:TokenReviewStatus/3
TokenReviewSpec token:string?/1 audiences:[]string?/2
TokenReviewStatus authenticated:bool?/1 user:UserInfo/2 audiences:[]string?/4 error:string?/3
UserInfo username:string?/1 uid:string?/2 groups:[]string?/3 extra:{}[]string?/4
SelfSubjectReview metadata:ObjectMeta/1 status:SelfSubjectReviewStatus/2
SelfSubjectReviewStatus userInfo:UserInfo/1
authentication.TokenRequest metadata:ObjectMeta/1 spec:TokenRequestSpec/2 status:TokenRequestStatus/3
TokenRequestSpec audiences:[]string*/1 expirationSeconds:long/4 boundObjectRef:BoundObjectReference/3
TokenRequestStatus token:string*/1 expirationTimestamp:time*/2
BoundObjectReference kind:string?/1 apiVersion:string?/2 name:string?/3 uid:string?/4
SelfSubjectAccessReview metadata:ObjectMeta/1 spec:SelfSubjectAccessReviewSpec/2
  status:SubjectAccessReviewStatus/3
SelfSubjectAccessReviewSpec resourceAttributes:ResourceAttributes/1
  nonResourceAttributes:NonResourceAttributes/2
SubjectAccessReviewStatus allowed:bool*/1 denied:bool?/4 reason:string?/2 evaluationError:string?/3
ResourceAttributes namespace:string?/1 verb:string?/2 group:string?/3 version:string?/4 resource:string?/5
  subresource:string?/6 name:string?/7 fieldSelector:FieldSelectorAttributes/8
  labelSelector:LabelSelectorAttributes/9
NonResourceAttributes path:string?/1 verb:string?/2
FieldSelectorAttributes rawSelector:string?/1 requirements:[]FieldSelectorRequirement?/2
LabelSelectorAttributes rawSelector:string?/1 requirements:[]LabelSelectorRequirement?/2
FieldSelectorRequirement key:string*/1 operator:string*/2 values:[]string?/3
SubjectAccessReview metadata:ObjectMeta/1 spec:SubjectAccessReviewSpec/2 status:SubjectAccessReviewStatus/3
SubjectAccessReviewSpec resourceAttributes:ResourceAttributes/1
  nonResourceAttributes:NonResourceAttributes/2 user:string?/3 groups:[]string?/4 extra:{}[]string?/5
  uid:string?/6
LocalSubjectAccessReview metadata:ObjectMeta/1 spec:SubjectAccessReviewSpec/2
  status:SubjectAccessReviewStatus/3
SelfSubjectRulesReview metadata:ObjectMeta/1 spec:SelfSubjectRulesReviewSpec/2
  status:SubjectRulesReviewStatus/3
SelfSubjectRulesReviewSpec namespace:string?/1
SubjectRulesReviewStatus resourceRules:[]ResourceRule*/1 nonResourceRules:[]NonResourceRule*/2
  incomplete:bool*/3 evaluationError:string?/4
ResourceRule verbs:[]string*/1 apiGroups:[]string?/2 resources:[]string?/3 resourceNames:[]string?/4
NonResourceRule verbs:[]string*/1 nonResourceURLs:[]string?/2
CustomResourceDefinition metadata:ObjectMeta/1 spec:CustomResourceDefinitionSpec/2
  status:CustomResourceDefinitionStatus/3
CustomResourceDefinitionSpec group:string*/1 names:CustomResourceDefinitionNames*/3 scope:string*/4
  versions:[]CustomResourceDefinitionVersion*/7 conversion:CustomResourceConversion/9
  preserveUnknownFields:bool?/10
CustomResourceDefinitionStatus conditions:[]CustomResourceDefinitionCondition#type/1
  acceptedNames:CustomResourceDefinitionNames/2 storedVersions:[]string/3
CustomResourceDefinitionNames plural:string*/1 singular:string?/2 shortNames:[]string?/3 kind:string*/4
  listKind:string?/5 categories:[]string?/6
CustomResourceDefinitionVersion name:string*/1 served:bool*/2 storage:bool*/3 deprecated:bool?/7
  deprecationWarning:string/8 schema:CustomResourceValidation/4 subresources:CustomResourceSubresources/5
  additionalPrinterColumns:[]CustomResourceColumnDefinition?/6 selectableFields:[]SelectableField?/9
CustomResourceConversion strategy:string*/1 webhook:WebhookConversion/2
CustomResourceDefinitionCondition type:string*/1 status:string/2 lastTransitionTime:time/3 reason:string?/4
  message:string?/5
CustomResourceValidation openAPIV3Schema:any/1
CustomResourceSubresources status:CustomResourceSubresourceStatus/1 scale:CustomResourceSubresourceScale/2
CustomResourceColumnDefinition name:string*/1 type:string*/2 format:string?/3 description:string?/4
  priority:int?/5 jsonPath:string*/6
SelectableField jsonPath:string*/1
WebhookConversion clientConfig:ext.WebhookClientConfig/2 conversionReviewVersions:[]string*/3
CustomResourceSubresourceStatus
CustomResourceSubresourceScale specReplicasPath:string*/1 statusReplicasPath:string*/2
  labelSelectorPath:string/3
ext.WebhookClientConfig url:string/3 service:ext.ServiceReference/1 caBundle:bytes?/2
ext.ServiceReference namespace:string*/1 name:string*/2 path:string/3 port:int/4
)";
}

}  // namespace tenon::kubesim::apiserver
