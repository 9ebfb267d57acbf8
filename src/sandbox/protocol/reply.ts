import { phpJson } from './frame.ts';

export type Reply =
  | {
      kind: 'frame';
      json: string;
      /** HTML that is printed before the frame. Updates always print some. */
      noise?: string;
      cookies?: string[];
    }
  /** HTML with status 200 and without a frame. */
  | { kind: 'html'; body: string }
  /**
   * A PHP fatal error: status 500 without a frame. Part of the work may be done (protocol 0.9). `silent` is for a fatal
   * error during plugin activation, whose body is empty.
   */
  | { kind: 'fatal'; silent?: true }
  /** The child ignores the request: `0` with status 400 on admin-ajax, the front page elsewhere (protocol 3.2). */
  | { kind: 'ignored' };

export function frameReply(value: unknown, noise?: string): Reply {
  return { kind: 'frame', json: phpJson(value), ...(noise === undefined ? {} : { noise }) };
}

export const FATAL: Reply = { kind: 'fatal' };
export const SILENT_FATAL: Reply = { kind: 'fatal', silent: true };
export const IGNORED: Reply = { kind: 'ignored' };
