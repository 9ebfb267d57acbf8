import assert from 'node:assert/strict';
import { isStorableCredential, readCredential } from '../../src/http/credentials.ts';

const basic = (text: string, scheme = 'Basic'): string => `${scheme} ${Buffer.from(text).toString('base64')}`;

describe('Authorization header', () => {
  it('when the scheme is Basic or Bearer, then the credential is read, whatever the case and spacing of the header', () => {
    for (const header of [basic('ann:s:e cret'), basic('ann:s:e cret', 'bASIC'), basic('ann:s:e cret', 'basic  ')])
      assert.deepEqual(readCredential(header), { scheme: 'basic', user: 'ann', password: 's:e cret' });
    for (const header of ['Bearer key', 'bearer   key ', 'BEARER key'])
      assert.deepEqual(readCredential(header), { scheme: 'bearer', key: 'key' });
  });

  it('when the scheme is unknown or the credential is incomplete, then the result is null', () => {
    const halves = [basic('ann'), basic('ann:'), basic(':secret'), 'Basic', 'Basic ', 'Bearer', 'Bearer  '];
    for (const header of [undefined, '', 'key', basic('ann:secret', 'Digest'), ...halves])
      assert.equal(readCredential(header), null, header);
  });

  it('when a credential contains a NUL character, then it is not looked up in the database', () => {
    const isSearched = (header: string): boolean => isStorableCredential(readCredential(header) ?? assert.fail(header));
    assert.ok(isSearched(basic('ann:secret')) && isSearched('Bearer key'));
    for (const text of ['an\0n:secret', 'ann:sec\0ret']) assert.equal(isSearched(basic(text)), false);
  });
});
