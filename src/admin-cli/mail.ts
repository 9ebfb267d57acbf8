import type { DeliveryStep, MailHandover } from '../domains/mail/index.ts';
import { normalizeMailAddress } from '../shared/mail-address.ts';
import { requiredOption, UsageError, type CommandGroup } from './command.ts';

/** Maximum duration of the test. It is longer than the timeout of each delivery step, which is at most two minutes. */
const LIMIT_MS = 180_000;

const WHAT_FAILED: Record<DeliveryStep, string> = {
  address: 'The host name of the mail server could not be resolved. Check the host in SMTP_URL.',
  connection:
    'The connection to the mail server failed. Check the host and the port in SMTP_URL, and whether a firewall blocks ' +
    'outgoing mail.',
  tls:
    'No encrypted connection to the mail server was possible. Use smtps:// for port 465 and smtp:// for port 587. ' +
    'With a certificate of its own, the server needs ?verify=no.',
  login: 'The mail server did not accept the login. Check the user and the password in SMTP_URL.',
  sender: 'The mail server did not accept the sender. Set SMTP_FROM to an address that this login may use.',
  recipients: 'The mail server did not accept the recipient.',
  content: 'The mail server accepted the recipient, but not the content of the mail.',
};

export const mailCommands: CommandGroup = {
  name: 'mail',
  summary: 'Check the delivery of mails.',
  migratesFirst: true,
  verbs: {
    test: {
      summary: 'Send a test mail, and say which step failed.',
      options: { to: { value: 'address', description: 'Address that the test mail is sent to.', required: true } },
      subject: 'to',
      example: 'mail test --to you@example.com',
      run: async ({ testMail }, values) => {
        const to = normalizeMailAddress(requiredOption(values, 'to'));
        if (to === null) throw new UsageError('--to must be an e-mail address.');
        const handover = await testMail.send(to, AbortSignal.timeout(LIMIT_MS));
        if (handover?.state !== 'accepted') throw new Error(failureText(handover, testMail.from));
        return {
          data: { sent: true, from: testMail.from, to, response: handover.message },
          text: `The mail server accepted the test mail from ${testMail.from} to ${to}: ${handover.message}`,
        };
      },
    },
  },
};

function failureText(handover: Exclude<MailHandover, { state: 'accepted' }> | null, from: string): string {
  if (!handover) return 'No mail server is configured. Set SMTP_URL.';
  if (handover.state === 'unknown') return `The mail may have been sent. ${handover.message}`;
  const reply = handover.refused[0]?.message ?? handover.message;
  const sender = handover.step === 'sender' ? `\n  Sender: ${from}` : '';
  return `${WHAT_FAILED[handover.step]}${sender}\n  ${reply === '' ? 'The mail server gave no reason.' : reply}`;
}
