import assert from 'node:assert/strict';
import { isText, readCredential } from '../../src/http/credentials.ts';

const basic = (text: string, scheme = 'Basic'): string => `${scheme} ${Buffer.from(text).toString('base64')}`;

describe('a credential', () => {
  it('is read by either scheme, however that is written', () => {
    for (const header of [basic('ann:s:e cret'), basic('ann:s:e cret', 'bASIC'), basic('ann:s:e cret', 'basic  ')])
      assert.deepEqual(readCredential(header), { scheme: 'basic', user: 'ann', password: 's:e cret' });
    for (const header of ['Bearer key', 'bearer   key ', 'BEARER key'])
      assert.deepEqual(readCredential(header), { scheme: 'bearer', key: 'key' });
  });

  it('is none when the scheme is another, or half of it is missing', () => {
    const halves = [basic('ann'), basic('ann:'), basic(':secret'), 'Basic', 'Basic ', 'Bearer', 'Bearer  '];
    for (const header of [undefined, '', 'key', basic('ann:secret', 'Digest'), ...halves])
      assert.equal(readCredential(header), null, header);
  });

  it('is looked for when a database could keep it', () => {
    const isSearched = (header: string): boolean => isText(readCredential(header) ?? assert.fail(header));
    assert.ok(isSearched(basic('ann:secret')) && isSearched('Bearer key'));
    for (const text of ['an\0n:secret', 'ann:sec\0ret']) assert.equal(isSearched(basic(text)), false);
  });
});
