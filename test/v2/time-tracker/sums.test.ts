import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { createContainer, type Container } from '../../../src/service/container.ts';
import { createClient } from '../../support/clients.ts';
import { checkResponse } from '../../support/contract-check.ts';
import { ManualClock } from '../../support/schedules.ts';
import {
  anyStep,
  BUCKETS,
  DEFAULT_CENTS,
  TASKS,
  TimeModel,
  type ModelStep,
  type ExpectedSum,
} from '../../support/time-model.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/time-tracker';
const SEQUENCES = 15;
/** Number of steps between two comparisons. */
const READ_EVERY = 4;

// Bodies differ by operation, and have been checked against the contract.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** Service that can be restarted on its database. */
class RestartableService {
  readonly #world: World;
  readonly #clock: ManualClock;
  readonly #key: string;
  #container: Container | null = null;
  #server: Server | null = null;

  private constructor(world: World, clock: ManualClock, key: string) {
    this.#world = world;
    this.#clock = clock;
    this.#key = key;
  }

  static async start(world: World, clock: ManualClock): Promise<RestartableService> {
    const { access } = world.container.services.access;
    const { id } = await access.createUser({ name: 'operator', role: 'administrator' }, 'test');
    const key = { userId: id, label: 'operator', scope: 'read_write' as const, expiresAt: null };
    const { secret } = await access.keys.create(key, 'test');
    const service = new RestartableService(world, clock, secret);
    await service.restart();
    return service;
  }

  /** Restarts the service. Only the database is kept. */
  async restart(): Promise<void> {
    await this.close();
    const { config, database, logger } = this.#world.container;
    this.#container = await createContainer(config, { database, logger, clock: this.#clock, tickMs: null });
    await this.#container.start();
    this.#server = createServer(this.#container.app).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async call(method: string, path: string, body?: object) {
    const { port } = (this.#server?.address() ?? assert.fail()) as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}${BASE}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const json = await answer.json();
    checkResponse(method, BASE + path, answer.status, json);
    return { status: answer.status, data: (json as { data: Json }).data };
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
    await this.#container?.close();
  }
}

interface Place {
  client: number;
  tasks: number[];
  buckets: number[];
}

describe('sums of time and money over HTTP', function () {
  this.timeout(240_000);
  const clock = new ManualClock('2026-11-20T09:00:00.300Z');
  let world: World;
  let service: RestartableService;
  before(async () => {
    world = await startWorld({ overrides: { clock } });
    service = await RestartableService.start(world, clock);
    await service.call('PUT', '/settings/edit', { default_hourly_price: DEFAULT_CENTS / 100, rounding_enabled: 0 });
  });
  after(async () => {
    await service.close();
    await world.close();
  });

  async function place(): Promise<Place> {
    const client = await createClient(world, 'Bakery');
    const made = async (path: string, body: object): Promise<number> =>
      (await service.call('POST', path, body)).data.id as number;
    const buckets: number[] = [];
    for (let index = 0; index < BUCKETS; index++)
      buckets.push(await made('/buckets/add', { title: 'Hours', hours: 10, clients: [client] }));
    const tasks: number[] = [];
    for (let index = 0; index < TASKS; index++)
      tasks.push(await made('/tasks/add', { title: 'Work', client_id: client, bucket_id: null }));
    return { client, tasks, buckets };
  }

  /** Runs a step. Returns true if the service allowed it. */
  async function done(step: ModelStep, { tasks, buckets }: Place): Promise<boolean> {
    const edit = async (body: object): Promise<boolean> => {
      const task = 'task' in step ? tasks[step.task] : 0;
      return (await service.call('PUT', `/tasks/${task}/edit`, body)).status === 200;
    };
    switch (step.do) {
      case 'wait':
        clock.time += step.ms;
        return true;
      case 'restart':
        await service.restart();
        return true;
      case 'round': {
        const { enabled, mode, minutes } = step;
        const rounding = { rounding_enabled: enabled ? 1 : 0, rounding_mode: mode, rounding_minutes: minutes };
        return (await service.call('PUT', '/settings/edit', rounding)).status === 200;
      }
      case 'refill': {
        const body = { price: step.cents === null ? null : step.cents / 100 };
        return (await service.call('PUT', `/buckets/${buckets[step.bucket]}/edit`, body)).status === 200;
      }
      case 'edit':
        return edit({ elapsed_seconds: step.seconds });
      case 'price':
        return edit({ hourly_price: step.cents === null ? null : step.cents / 100 });
      case 'bill':
        return edit({ billable: step.billable });
      case 'move':
        return edit({ bucket_id: step.bucket === null ? null : buckets[step.bucket] });
      default:
        return (await service.call('POST', `/tasks/${tasks[step.task]}/${step.do}`)).status === 200;
    }
  }

  async function sums({ client, tasks, buckets }: Place): Promise<{ tasks: ExpectedSum[]; used: number[] }> {
    const query = '?orderby=created_at&order=asc';
    const { data: found } = await service.call('GET', `/clients/${client}/tasks${query}`);
    const { data: hours } = await service.call('GET', `/clients/${client}/buckets`);
    const taskById = new Map((found as { id: number }[]).map((task) => [task.id, task as Record<string, unknown>]));
    const usedById = new Map(
      (hours as { id: number; seconds_used: number }[]).map((each) => [each.id, each.seconds_used]),
    );
    return {
      tasks: tasks.map((id) => {
        const { status, elapsed_seconds, billed_seconds, total_price } = taskById.get(id) ?? {};
        const total = Math.round(Number(total_price) * 100);
        return { status, elapsed: elapsed_seconds, billed: billed_seconds, total } as ExpectedSum;
      }),
      used: buckets.map((id) => usedById.get(id) ?? assert.fail()),
    };
  }

  it(`when ${SEQUENCES} random sequences of calls have run, then each sum equals an independent model`, async () => {
    const property = fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
      const here = await place();
      const model = new TimeModel(clock.time);
      const { data } = await service.call('GET', '/settings');
      if (data.rounding_enabled === 1) model.rounding = { mode: data.rounding_mode, minutes: data.rounding_minutes };
      for (const [index, step] of steps.entries()) {
        assert.equal(await done(step, here), model.apply(step), JSON.stringify(step));
        if (index % READ_EVERY > 0 && index < steps.length - 1) continue;
        const expected = model.tasks.map((_, task) => model.sumOf(task));
        assert.deepEqual(await sums(here), {
          tasks: expected,
          used: here.buckets.map((_, each) => model.usedOf(each)),
        });
      }
      for (const [index, id] of here.tasks.entries()) {
        const { entries } = (await service.call('GET', `/tasks/${id}`)).data as { entries: { seconds: number }[] };
        const seconds = entries.reduce((sum, entry) => sum + entry.seconds, 0);
        assert.equal(seconds, model.sumOf(index).elapsed, 'the entries come to what the task shows');
        if (model.sumOf(index).status === 'running') await service.call('POST', `/tasks/${id}/stop`);
      }
    });
    await fc.assert(property, { numRuns: SEQUENCES, endOnFailure: true });
  });
});
