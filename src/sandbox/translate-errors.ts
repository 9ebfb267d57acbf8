import { createHash } from 'node:crypto';
import { frameReply, type Reply } from './protocol/reply.ts';

/**
 * Simulates a site in another language: every sentence of an error message is replaced, but the error codes stay
 * (protocol 0.5).
 */
export function translateErrors(reply: Reply): Reply {
  if (reply.kind !== 'frame') return reply;
  const said: unknown = JSON.parse(reply.json);
  if (typeof said !== 'object' || said === null || !('error' in said) || typeof said.error !== 'string') return reply;
  const error = said.error.split('<br/>').map(fakeTranslation).join('<br/>');
  return { ...reply, ...frameReply({ ...said, error }, reply.noise) };
}

const fakeTranslation = (sentence: string): string => `Übersetzt ${createHash('md5').update(sentence).digest('hex')}`;
