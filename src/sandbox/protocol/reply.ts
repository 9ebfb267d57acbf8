import { phpJson } from './frame.ts';

/** What the child made of a request, before it becomes bytes. */
export type Reply =
  | {
      kind: 'frame';
      /** JSON text already in PHP's spelling. */
      json: string;
      /** HTML that comes before the frame (updates always print some). */
      noise?: string;
      cookies?: string[];
    }
  /** HTML with status 200 and no frame. */
  | { kind: 'html'; body: string }
  /**
   * A PHP fatal error: 500 and no frame, though part of the work may be done (protocol 0.9); of an activation without a
   * byte.
   */
  | { kind: 'fatal'; silent?: true }
  /** The child took no notice: `0` with 400 on admin-ajax, the front page elsewhere (protocol 3.2). */
  | { kind: 'ignored' };

export function answer(value: unknown, noise?: string): Reply {
  return { kind: 'frame', json: phpJson(value), ...(noise === undefined ? {} : { noise }) };
}

export const FATAL: Reply = { kind: 'fatal' };
export const SILENT_FATAL: Reply = { kind: 'fatal', silent: true };
export const IGNORED: Reply = { kind: 'ignored' };
