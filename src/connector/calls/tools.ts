import { asObject, readField } from '../answers/json-values.ts';
import type { ToolCalls } from '../child-site.ts';
import { unexpectedAnswerError } from '../child-errors.ts';
import type { SiteCookies } from '../cookies.ts';
import type { SignedCaller } from '../signed-call.ts';

const DESTROY = { functionName: 'settings_tools', fields: { action: 'force_destroy_sessions' } } as const;

export function createToolCalls(caller: SignedCaller, cookies: SiteCookies): ToolCalls {
  return {
    async destroySessions(link) {
      try {
        // Sent with cookies: without a session the call would open two new sessions.
        const answer = asObject(await caller.signed(link, { kind: 'action', ...DESTROY, reads: false }));
        if (Number(readField(answer, 'success')) !== 1) throw unexpectedAnswerError(true);
      } finally {
        // The cookies may be invalid even if the call failed, because the response may have been lost.
        if (link.siteId !== null) cookies.forget(link.siteId);
      }
    },
  };
}
