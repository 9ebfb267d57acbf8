import { createPrivateKey, sign } from 'node:crypto';
import { decodeGuardFileAnswer } from '../answers/guard-file.ts';
import { asObject, readField } from '../answers/json-values.ts';
import type { GuardFileCalls } from '../child-site.ts';
import { unexpectedAnswerError } from '../child-errors.ts';
import type { SiteCaller } from '../site-caller.ts';

const SEQUENCE_DIGITS = 16;

export const createGuardFileCalls = (caller: SiteCaller): GuardFileCalls => ({
  async uploadFile(link, { url, secret, folder, name }) {
    const fields = { url, path: folder, filename: name };
    const call = { kind: 'action', functionName: 'uploader_action', fields, reads: false, secret } as const;
    if (readField(asObject(await caller.signed(link, call)), 'success') !== true) throw unexpectedAnswerError(true);
  },

  askGuardFile(link, { guardId, action, sequence, privateKeyPem }) {
    const message = `${action} ${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`;
    const signature = sign(
      null,
      Buffer.from(`sitefleet-guard ${guardId} ${message}`),
      createPrivateKey(privateKeyPem),
    ).toString('hex');
    const fields = { sitefleet_guard: guardId, sitefleet_message: message, sitefleet_signature: signature };
    return caller.scheduled(link, 'action', async (current, signal) => {
      const answer = await caller.unsigned(current, fields, { isChange: true, signal });
      const decoded = decodeGuardFileAnswer(answer, guardId);
      if (!decoded) throw unexpectedAnswerError(true);
      return decoded;
    });
  },
});
