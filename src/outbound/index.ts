export { createOutbound, type OutboundOptions } from './http-outbound.ts';
export { openGuardedProxy, type GuardedProxy, type GuardedProxyOptions } from './guarded-proxy.ts';
export { createAddressGuard, type AddressGuard } from './address-guard.ts';
export { Smtp, type SmtpHandover, type SmtpMessage, type SmtpOutcome, type SmtpRefusal } from './smtp.ts';
export type { FoundAddress, Lookup } from './resolver.ts';
export {
  nothingObserved,
  OutboundError,
  type CertificateName,
  type Observation,
  type Outbound,
  type OutboundAnswer,
  type OutboundConnect,
  type OutboundFault,
  type OutboundMethod,
  type OutboundQuery,
  type OutboundRequest,
  type OutboundTlsProbe,
  type ResolvedHost,
  type ShownCertificate,
  type TlsProbe,
} from './outbound.ts';
