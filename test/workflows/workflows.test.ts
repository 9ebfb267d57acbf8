import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { writeWorkflowFolder, withTemporaryFolder } from '../../scripts/check/workflows/folder.ts';
import { runRespect, type WorkflowResult } from '../../scripts/check/workflows/respect.ts';
import { startChangingProxy, type ChangeResponse, type ChangingProxy } from '../support/changing-proxy.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the workflows are about the contract.

interface BrokenWorkflow {
  workflow: string;
  /** Fault of the service. */
  when: string;
  change: ChangeResponse;
  /** Step that must fail, and the text of its error. */
  step: string;
  reason: RegExp;
}

const run = (ability: string): string => `POST /abilities/v1/svc/${ability}/run`;

const BREAKS: Record<string, BrokenWorkflow> = {
  code: {
    workflow: 'connect-and-sync',
    when: 'a deleted site has another error code',
    change: (call, { status, body }) => {
      if (status === 404 && call.startsWith('GET /api/v2/sites/')) body.code = 'svc_cost_not_found';
    },
    step: 'gone',
    reason: /svc_site_not_found/,
  },
  tag: {
    workflow: 'connect-and-sync',
    when: 'a record has no ETag',
    change: (call, { headers }) => {
      if (call.startsWith('GET /api/v2/sites/')) delete headers['etag'];
    },
    step: 'read',
    reason: /ETag/,
  },
  untouched: {
    workflow: 'safe-update',
    when: 'the update is still pending',
    change: (call, { body }) => {
      if (call === run('get-site-updates-v1')) body.summary.plugins = 6;
    },
    step: 'done',
    reason: /summary\/plugins </,
  },
  down: {
    workflow: 'safe-update',
    when: 'the site is unreachable',
    change: (call, { body }) => {
      if (call === run('check-site-v1')) body.reachable = false;
    },
    step: 'healthy',
    reason: /reachable == true/,
  },
  twice: {
    workflow: 'batch-and-job',
    when: 'a repeated batch runs again',
    change: (call, { headers }) => {
      if (call === 'POST /api/v2/batch') delete headers['idempotency-replayed'];
    },
    step: 'batch-again',
    reason: /Idempotency-Replayed/,
  },
  job: {
    workflow: 'batch-and-job',
    when: 'a job cannot be read',
    change: (call, answer) => {
      if (call.startsWith('GET /api/v2/jobs/')) answer.status = 500;
    },
    step: 'follow',
    reason: /statusCode == 200/,
  },
  lost: {
    workflow: 'content',
    when: 'an edit clears an omitted field',
    change: (call, { body }) => {
      if (/^PUT .*\/edit$/.test(call)) body.data.post_content = '';
    },
    step: 'edit',
    reason: /post_content/,
  },
  renamed: {
    workflow: 'content',
    when: 'a field of a response is renamed',
    change: (call, { status, body }) => {
      if (status !== 200 || !/^GET \/api\/v2\/posts\/\d+\/\d+$/.test(call)) return;
      body.data.title = body.data.post_title;
      delete body.data.post_title;
    },
    step: 'read',
    reason: /post_title/,
  },
};

describe('workflows', () => {
  const ran = new Map<string, WorkflowResult>();
  const whole: WorkflowResult[] = [];
  before(async function () {
    this.timeout(180_000);
    const world: World = await startWorld({ sites: 2, connect: 1 });
    const proxy: ChangingProxy = await startChangingProxy(
      world.url,
      Object.fromEntries(Object.entries(BREAKS).map(([name, { change }]) => [name, change])),
    );
    try {
      await withTemporaryFolder(async (folder) => {
        const fresh = world.site(1);
        const inputs = {
          key: await keyOf(world),
          site: world.siteId(0),
          site_url: fresh.url,
          site_admin: fresh.admin,
          site_password: fresh.adminPassword,
        };
        const sound = [...(await writeWorkflowFolder(folder, world.url)).values()];
        const broken: string[] = [];
        for (const [name, { workflow }] of Object.entries(BREAKS)) {
          const files = await writeWorkflowFolder(join(folder, name), proxy.url(name));
          broken.push(files.get(workflow) ?? assert.fail(`There is no workflow ${workflow}.`));
        }
        // One process runs all workflows, because it takes longer to start than a workflow to run.
        const all = await runRespect([...sound, ...broken], { ...inputs, run: randomUUID() }, folder);
        whole.push(...all.slice(0, sound.length));
        Object.keys(BREAKS).forEach((name, index) => ran.set(name, all[sound.length + index] as WorkflowResult));
      });
    } finally {
      await proxy.close();
      await world.close();
    }
  });

  it('when the service has no fault, then all workflows pass', () => {
    assert.deepEqual(
      whole.map(({ name, failed }) => [name, failed]),
      [...new Set(Object.values(BREAKS).map(({ workflow }) => workflow))].sort().map((name) => [name, []]),
    );
  });

  for (const [name, { workflow, when, step, reason }] of Object.entries(BREAKS))
    it(`when ${when}, then ${workflow} fails at the step ${step}`, () => {
      const { failed = [] } = ran.get(name) ?? {};
      assert.deepEqual(
        failed.map((each) => each.step),
        [step],
        JSON.stringify(failed),
      );
      assert.match(failed[0]?.reasons.join('\n') ?? '', reason);
    });
});

async function keyOf({ container: { services } }: World): Promise<string> {
  const { access } = services.access;
  const admin = await access.createUser({ name: 'workflows', role: 'administrator' }, 'test');
  const options = { userId: admin.id, label: 'workflows', scope: 'read_write', expiresAt: null } as const;
  return (await access.keys.create(options, 'test')).secret;
}
