import type { Fault } from '../../../src/sandbox/index.ts';

/** The site answers this and does nothing. */
export const answering = (answer: object, name: string): Fault => ({
  kind: 'raw',
  status: 200,
  body: `<mainwp>${Buffer.from(JSON.stringify(answer)).toString('base64')}</mainwp>`,
  function: name,
});
