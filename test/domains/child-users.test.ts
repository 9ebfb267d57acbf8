import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { SiteChanges } from '../../src/domains/child-users/index.ts';
import { userFaults } from '../../src/domains/child-users/child-user.ts';
import { readUserFile } from '../../src/domains/child-users/user-file.ts';
import type { KeyedSite, SiteCalls } from '../../src/domains/sites/index.ts';

const siteOf = (id: number): KeyedSite => ({
  id,
  url: `https://${id}.example/`,
  urlKey: `${id}.example`,
  name: '',
  status: 'connected',
  clientId: null,
});

describe('changes of many sites', () => {
  const calls = { run: async (_id: number, work: () => Promise<unknown>) => work() } as unknown as SiteCalls;

  it('answer in the order given, each with its own outcome', async () => {
    const changes = new SiteChanges({ calls, deadlineMs: 60_000 });
    const outcomes = await changes.all(
      [30, 1, 10].map((ms) => ({
        site: siteOf(ms),
        run: async () => (await sleep(ms), ms === 1 ? Promise.reject(new Error('of ours')) : ms),
      })),
    );
    assert.deepEqual(
      outcomes.map((outcome) => ('value' in outcome ? outcome.value : outcome.error.code)),
      [30, 'svc_internal_error', 10],
    );
  });

  it('are waited for once they have begun, and not begun after the deadline', async () => {
    const changes = new SiteChanges({ calls, deadlineMs: 20 });
    let begun = 0;
    const slow = async (): Promise<void> => {
      begun += 1;
      await sleep(300);
    };
    const outcomes = await changes.all(Array.from({ length: 300 }, (_, at) => ({ site: siteOf(at), run: slow })));
    const done = outcomes.filter((outcome) => 'value' in outcome).length;
    assert.ok(begun > 0 && begun < 300);
    assert.equal(done, begun, 'every one that began is told as it ended');
    const last = outcomes.at(-1);
    assert.equal(last && 'error' in last && last.error.code, 'svc_cancelled');
  });
});

describe('fields of a user', () => {
  it('are those that WordPress takes unchanged', () => {
    const good = [
      { username: 'a' },
      { username: 'Ann.Lee-2 @x_y' },
      { email: "o'neill+x@sub.example.com" },
      { password: 'pässwörd & %' },
      { password: '100%zz' },
      { url: 'http://x.example/a?b=c' },
      {},
    ];
    for (const fields of good) assert.deepEqual(userFaults(fields), [], JSON.stringify(fields));
    const bad = [
      ...['', ' a', 'a  b', 'ä', 'a/b', 'a\nb', 'x'.repeat(61)].map((username) => ({ username })),
      ...['', 'a', 'a@b', '@b.c', 'a@b..c', 'a b@c.de', '<a@b.c>', `${'x'.repeat(100)}@b.c`].map((email) => ({
        email,
      })),
      ...['', ' a', 'a ', 'a\tb', 'a"', "a'", 'a\\', 'a<', '%41', 'x'.repeat(129)].map((password) => ({ password })),
      ...['', 'x', 'ftp://x', 'javascript:1', 'http://x/"', `http://${'x'.repeat(100)}`].map((url) => ({ url })),
    ];
    for (const fields of bad) assert.equal(userFaults(fields).length, 1, JSON.stringify(fields));
  });
});

describe('a file of users', () => {
  it('may hold anything without more than a fault in a row', () => {
    for (const text of ['', '\ufeff', '\0', '\n\n', '"', '"""', ',,,,,,,,,', 'x'.repeat(60_000), '","\n'.repeat(500)])
      for (const row of readUserFile(text, false))
        assert.ok(row.asked !== null || row.fault !== null, text.slice(0, 20));
  });

  it('keeps a password out of what is wrong with its row', () => {
    const [row] = readUserFile(`u,u@x.test,,,," tell nobody",,,1,`, false);
    assert.match(row?.fault ?? '', /password must not begin/);
    assert.equal(JSON.stringify(row).includes('tell nobody'), false);
  });
});
