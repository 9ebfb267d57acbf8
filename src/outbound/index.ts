export { createOutbound, type OutboundOptions } from './http-outbound.ts';
export { openGuardedProxy, type GuardedProxy, type GuardedProxyOptions } from './guarded-proxy.ts';
export { createAddressGuard } from './address-guard.ts';
export { Smtp } from './smtp.ts';
export type { FoundAddress } from './resolver.ts';
export {
  nothingObserved,
  OutboundError,
  type Outbound,
  type OutboundAnswer,
  type OutboundFault,
  type OutboundRequest,
} from './outbound.ts';
