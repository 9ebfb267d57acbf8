import { SitefleetError } from './errors.ts';

export interface FullAnswer<Data> {
  /** Undefined for status 304: the ETag that the call sent as `ifNoneMatch` is still valid. */
  data: Data;
  status: number;
  etag: string | null;
  requestId: string | null;
  /** True if this is the stored response of an earlier call with the same idempotency key. */
  isReplayed: boolean;
  headers: Headers;
}

/**
 * Reads a response. Throws `SitefleetError` with the code `unknown` if the body is not JSON. `data` is undefined if
 * there is no body.
 */
export async function readAnswer(response: Response): Promise<FullAnswer<unknown>> {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const text = await response.text();
  return {
    data: text === '' ? undefined : parseJsonAnswer(text, status, requestId),
    status,
    etag: headers.get('etag'),
    requestId,
    isReplayed: headers.get('idempotency-replayed') === 'true',
    headers,
  };
}

/** Parses a body. A proxy in front of the service may respond with status 200 and an HTML page. */
function parseJsonAnswer(text: string, status: number, requestId: string | null): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new SitefleetError(status, null, requestId);
  }
}
