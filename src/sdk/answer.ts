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

/** A JSON answer as data; a file as the response that it comes in. */
export async function dataOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.includes('json')) {
    if (response.status === 204 || response.headers.get('content-length') === '0') return undefined;
    return response;
  }
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new SitefleetError(response.status, null, response.headers.get('x-request-id'));
  }
}
