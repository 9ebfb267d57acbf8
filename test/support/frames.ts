import type { Fault } from '../../src/sandbox/index.ts';

/** Returns the frame of a response as a child writes it (protocol 1.5). */
export const toFrame = (answer: unknown): string =>
  `<mainwp>${Buffer.from(JSON.stringify(answer)).toString('base64')}</mainwp>`;

/** Makes the site answer a call of the function with this, and do nothing. */
export const fixedAnswerFault = (answer: unknown, name: string): Fault => ({
  kind: 'raw',
  status: 200,
  body: toFrame(answer),
  function: name,
});
