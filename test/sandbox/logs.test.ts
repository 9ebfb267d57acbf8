import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type SimulatedSite, type WpAdminAction } from '../../src/sandbox/index.ts';
import { callSigned, type Form } from './support/dashboard.ts';
import { withFreshSite } from './support/fresh-site.ts';

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`recordings/${name}.json`, import.meta.url), 'utf8'));

interface Call {
  label: string;
  params_logs: Form;
  records: number;
  type: string;
  first?: [number, string];
  last: [number, string] | null;
}
interface Logged {
  id: number;
  log_type_id: number;
  created_on: string;
  context: string;
  action_name: string;
  meta_data: Form;
}

describe('logs of a simulated site', () => {
  let site: SimulatedSite;

  withFreshSite((fresh) => ({ site } = fresh));

  const changes = async (form: Form = {}): Promise<unknown> =>
    (await callSigned(site, 'stats', form))['changes_logs_data'];

  it('when logs are long, then they are cut and continued like those of a real site', async () => {
    const { calls } = recorded('log-b-many-in-one-second') as { calls: Call[] };
    const t = 1_795_306_216;
    const record = { typeId: 1305, context: 'post', action: 'modified', login: 'admin', postId: 0, meta: {} };
    const early = [1_795_301_326.98249, 1_795_301_327.5, 1_795_301_328.385692, 1_795_301_340.1, 1_795_301_358.52086];
    site.state.changes = [
      ...early.map((created, index) => ({ ...record, id: index + 1, created })),
      ...Array.from({ length: 260 }, (_, n) => ({ ...record, id: 445 + n, created: t + (1 + 3 * n) / 1000 })),
      ...Array.from({ length: 60 }, (_, n) => ({ ...record, id: 705 + n, created: t + 1 + (n + 1) / 20 - 0.05 })),
    ];
    site.touch();
    for (const { label, params_logs, records, type, first, last } of calls) {
      const answer = await changes({ params_logs });
      if (typeof answer === 'string' || Array.isArray(answer)) {
        assert.equal(typeof answer === 'string' ? 'string' : 'list []', type, label);
        continue;
      }
      const sent = Object.values(answer as Record<string, Logged>);
      assert.deepEqual([sent.length, 'object'], [records, type], label);
      assert.deepEqual([sent[0]?.id, sent[0]?.created_on], first, label);
      assert.deepEqual([sent.at(-1)?.id, sent.at(-1)?.created_on], last, label);
    }
  });

  it('when one of the log options is off, then both logs are omitted', async () => {
    site.performWpAdminAction({ do: 'deactivate-plugin', plugin: 'hello.php' });
    site.performWpAdminAction({ do: 'log-in' });
    const params_logs = { events_count: 5 };
    const off = await callSigned(site, 'stats', { syncdata: '{"child_site_actions_data":0}', params_logs });
    assert.deepEqual(['child_site_actions_data' in off, 'changes_logs_data' in off], [false, false]);
    const on = await callSigned(site, 'stats', { syncdata: '{}', params_logs });
    assert.deepEqual(['child_site_actions_data' in on, 'changes_logs_data' in on], [true, true]);
  });

  it('when log types are excluded, then they stay excluded until the option is reset', async () => {
    site.performWpAdminAction({ do: 'log-in' });
    const ask5 = (more: Form = {}): Promise<unknown> => changes({ params_logs: { events_count: 5, ...more } });
    assert.deepEqual(await ask5({ ignore_sync_changes_logs: [1570] }), []);
    assert.deepEqual(await ask5(), []);
    assert.equal(Object.keys((await ask5({ ignore_sync_changes_logs: -1 })) as object).length, 1);
  });

  const ACTS: [number, WpAdminAction][] = [
    [1461, { do: 'activate-plugin', plugin: 'hello.php' }],
    [1970, { do: 'update-plugin', plugin: 'hello.php' }],
    [1610, { do: 'create-user', user: 'handmade', role: 'author' }],
    [1615, { do: 'change-role', user: 'editor1', role: 'author' }],
    [1630, { do: 'change-password', user: 'editor1', password: 'x' }],
    [1645, { do: 'delete-user', user: 'editor1' }],
    [1570, { do: 'log-in' }],
    [1785, { do: 'change-setting', typeId: 1785, action: 'enabled' }],
  ];
  for (const [typeId, act] of ACTS)
    it(`when a record has type ${typeId}, then it has the fields of a real record`, async () => {
      const { records } = recorded('log-b-one-of-each') as { records: Logged[] };
      const real = records.find(({ log_type_id }) => log_type_id === typeId);
      site.performWpAdminAction(act);
      const sent = Object.values((await changes({ params_logs: { events_count: 9 } })) as Record<string, Logged>);
      const made = sent.find(({ log_type_id }) => log_type_id === typeId);
      assert.ok(real && made);
      assert.deepEqual(Object.keys(made).sort(), Object.keys(real).sort());
      assert.deepEqual([made.context, made.action_name], [real.context, real.action_name]);
      assert.deepEqual(Object.keys(made.meta_data).sort(), Object.keys(real.meta_data).sort());
    });

  it('when actions are logged, then their texts have the same quotes as a real action log', async () => {
    const { child_site_actions_data: real } = recorded('log-a') as { child_site_actions_data: Record<string, Form> };
    const shapes = (log: Record<string, Form>): string[] => [
      ...new Set(
        Object.values(log).map(
          ({ context, action, summary }) =>
            `${String(context)}.${String(action)} ${String(summary).replace(/(^"|^&quot;).*("|&quot;)/, '$1…$2')}|`,
        ),
      ),
    ];
    site.performWpAdminAction({ do: 'deactivate-plugin', plugin: 'hello.php' });
    site.performWpAdminAction({ do: 'delete-plugin', plugin: 'hello.php' });
    const [spare] = [...site.state.themes.keys()].filter((stylesheet) => stylesheet !== site.state.activeTheme);
    const before = site.state.activeTheme;
    site.performWpAdminAction({ do: 'switch-theme', theme: spare ?? '' });
    site.performWpAdminAction({ do: 'delete-theme', theme: before });
    const made = (await callSigned(site, 'stats'))['child_site_actions_data'] as Record<string, Form>;
    assert.deepEqual(shapes(made).sort(), shapes(real).sort());
    assert.equal(Object.values(made).at(-1)?.['summary'], `&quot;${before}&quot; theme deleted`);
  });
});
