export { createOutbound, type OutboundOptions } from './http-outbound.ts';
export { openGuardedProxy, type GuardedProxy, type GuardedProxyOptions } from './guarded-proxy.ts';
export { createAddressGuard } from './address-guard.ts';
export { isPublicHost } from './public-host.ts';
export { Smtp } from './smtp.ts';
export type { ResolvedAddress } from './resolver.ts';
export {
  emptyConnectionTimings,
  OutboundError,
  RequestWithheldError,
  type Outbound,
  type OutboundResponse,
  type OutboundFault,
  type OutboundRequest,
} from './outbound.ts';
