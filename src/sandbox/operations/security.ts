import { listField, textField } from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { Call } from './call.ts';
import { securityStats } from './hardening.ts';
import { syncBlock } from './stats.ts';

/** Security checks that a dashboard can fix. All others are read-only (protocol 4.7). */
const FIXABLE = ['db_reporting', 'php_reporting'] as const;
type FixableFlag = (typeof FIXABLE)[number];

export function security({ state, secure }: Call): Reply {
  return frameReply(securityStats(state, secure));
}

export function securityFix(call: Call): Reply {
  return changeHardening(call, 'fix');
}

export function securityUnFix(call: Call): Reply {
  return changeHardening(call, 'unfix');
}

/**
 * Fixes security checks, or undoes such fixes. The response reports the requested state, even for skipped checks and
 * for checks that pass without a fix. Only the next `security` call returns the real state.
 */
function changeHardening(call: Call, what: 'fix' | 'unfix'): Reply {
  const feature = textField(call.fields, 'feature');
  const skipped = new Set(listField(call.fields, 'skip_features'));
  const chosen = FIXABLE.filter((name) => feature === 'all' || feature === name);
  const result: Partial<Record<FixableFlag, string>> = {};
  for (const name of chosen) {
    if (!skipped.has(name)) call.state.hardening[name].fixed = what === 'fix';
    result[name] = what === 'fix' ? 'Y' : 'N';
  }
  if (feature === 'all') return frameReply({ ...result, sync: syncBlock(call) });
  return frameReply(chosen.length === 0 ? [] : result);
}
