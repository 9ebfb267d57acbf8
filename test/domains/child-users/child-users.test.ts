import assert from 'node:assert/strict';
import { findUserFaults } from '../../../src/domains/child-users/child-user.ts';
import { parseUserFile } from '../../../src/domains/child-users/user-file.ts';

describe('fields of a user', () => {
  it('when WordPress would change a field, then the field is rejected', () => {
    const good = [
      { username: 'a' },
      { username: 'Ann.Lee-2 @x_y' },
      { email: "o'neill+x@sub.example.com" },
      { password: 'pässwörd & %' },
      { password: '100%zz' },
      { url: 'http://x.example/a?b=c' },
      {},
    ];
    for (const fields of good) assert.deepEqual(findUserFaults(fields), [], JSON.stringify(fields));
    const bad = [
      ...['', ' a', 'a  b', 'ä', 'a/b', 'a\nb', 'x'.repeat(61)].map((username) => ({ username })),
      ...['', 'a', 'a@b', '@b.c', 'a@b..c', 'a b@c.de', '<a@b.c>', `${'x'.repeat(100)}@b.c`].map((email) => ({
        email,
      })),
      ...['', ' a', 'a ', 'a\tb', 'a"', "a'", 'a\\', 'a<', '%41', 'x'.repeat(129)].map((password) => ({ password })),
      ...['', 'x', 'ftp://x', 'javascript:1', 'http://x/"', `http://${'x'.repeat(100)}`].map((url) => ({ url })),
    ];
    for (const fields of bad) assert.equal(findUserFaults(fields).length, 1, JSON.stringify(fields));
  });
});

describe('CSV file of users', () => {
  it('when the file contains arbitrary text, then each row is a user or a fault', () => {
    for (const text of ['', '\ufeff', '\0', '\n\n', '"', '"""', ',,,,,,,,,', 'x'.repeat(60_000), '","\n'.repeat(500)])
      for (const row of parseUserFile(text, false))
        assert.ok(row.request !== null || row.fault !== null, text.slice(0, 20));
  });

  it('when a row is invalid, then the error does not contain the password', () => {
    const [row] = parseUserFile(`u,u@x.test,,,," tell nobody",,,1,`, false);
    assert.match(row?.fault ?? '', /password must not begin/);
    assert.equal(JSON.stringify(row).includes('tell nobody'), false);
  });
});
