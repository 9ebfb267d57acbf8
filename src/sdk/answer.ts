import { SitefleetError } from './errors.ts';

/** An answer with what stands around it. */
export interface FullAnswer<Data> {
  /** Undefined with 304, when `ifNoneMatch` still holds. */
  data: Data;
  status: number;
  /** Of the record, for `ifMatch` and `ifNoneMatch`. */
  etag: string | null;
  requestId: string | null;
  /** The answer is the stored one of an earlier call with the same key. */
  isReplayed: boolean;
  headers: Headers;
}

/** Reads a JSON answer; undefined when it has no body. */
export async function readAnswer(response: Response): Promise<FullAnswer<unknown>> {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const text = await response.text();
  return {
    data: text === '' ? undefined : parsed(text, status, requestId),
    status,
    etag: headers.get('etag'),
    requestId,
    isReplayed: headers.get('idempotency-replayed') === 'true',
    headers,
  };
}

/** Something in front of the service may answer 200 with a page of its own. */
function parsed(text: string, status: number, requestId: string | null): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new SitefleetError(status, null, requestId);
  }
}
