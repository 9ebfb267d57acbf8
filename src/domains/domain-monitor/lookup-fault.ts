import { OutboundError } from '../../outbound/outbound.ts';
import { CodedInvalidError } from '../../shared/errors.ts';

const LOOKUP_FAULTS = [
  'unsupported_tld',
  'not_found',
  'rate_limited',
  'timeout',
  'unreachable',
  'refused',
  'parse_error',
] as const;
export type LookupFaultCode = (typeof LOOKUP_FAULTS)[number];

/** Failure of a lookup. The message contains no text from the network. */
export class LookupFault extends Error {
  readonly code: LookupFaultCode;
  /** Milliseconds until the registry may be asked again. 0 if it did not ask for a pause. */
  readonly pauseMs: number;
  /** False if the rate limit of this service prevented the request. */
  readonly wasSent: boolean;

  constructor(code: LookupFaultCode, message: string, { pauseMs = 0, wasSent = true, ...options }: FaultOptions = {}) {
    super(message, options);
    this.name = 'LookupFault';
    this.code = code;
    this.pauseMs = pauseMs;
    this.wasSent = wasSent;
  }
}

interface FaultOptions extends ErrorOptions {
  pauseMs?: number;
  wasSent?: boolean;
}

export function toLookupFault(error: unknown): LookupFault {
  if (error instanceof LookupFault) return error;
  if (error instanceof CodedInvalidError)
    return new LookupFault('refused', 'Calls to the address of the registry are not allowed.', { cause: error });
  if (!(error instanceof OutboundError) || error.fault === 'aborted') throw error;
  switch (error.fault) {
    case 'timeout':
      return new LookupFault('timeout', 'The registry did not answer in time.', { cause: error });
    case 'body_too_large':
    case 'bad_encoding':
      return new LookupFault('parse_error', 'The response of the registry is too large.', { cause: error });
    case 'too_many_redirects':
      return new LookupFault('refused', 'The registry redirects too often.', { cause: error });
    default:
      return new LookupFault('unreachable', 'The registry could not be reached.', { cause: error });
  }
}
