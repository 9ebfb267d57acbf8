import type { Fault } from '../../src/sandbox/index.ts';

/** The frame of an answer as a child writes it (protocol 1.5). */
export const toFrame = (answer: unknown): string =>
  `<mainwp>${Buffer.from(JSON.stringify(answer)).toString('base64')}</mainwp>`;

/** The site answers this to a call of the function, and does nothing. */
export const fixedAnswerFault = (answer: unknown, name: string): Fault => ({
  kind: 'raw',
  status: 200,
  body: toFrame(answer),
  function: name,
});
