import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { createClient } from '../../support/clients.ts';
import { countStatements } from '../../support/statements.ts';
import { addTask, createClientWithBucket, editTask, runTimer } from '../../support/time-tracker.ts';
import { startWorld, type World } from '../../support/world.ts';

const PATH = '/api/v2/time-tracker/tasks/export';

describe('task export', () => {
  let world: World;
  let client: number;
  before(async () => {
    world = await startWorld();
    client = await createClient(world, 'Bakery "Harbour", Ltd');
  });
  after(() => world.close());

  const exported = async (query = ''): Promise<Record<string, string>[]> => {
    const { body } = await world.request('GET', `${PATH}${query}`);
    return parse(body as unknown as string, { columns: true, record_delimiter: '\r\n' });
  };

  it('when tasks are exported, then each is a CSV line with the values of the record', async () => {
    const { id } = await addTask(world, {
      title: 'Lines,\n"quotes" and ü',
      client_id: client,
      hourly_price: 12.5,
      task_date: '2026-11-05',
    });
    await runTimer(world, id, 'start');
    await runTimer(world, id, 'pause');
    await editTask(world, id, { elapsed_seconds: 5400 });
    await runTimer(world, id, 'stop');
    const { headers, body } = await world.request('GET', PATH);
    assert.match(String(headers['content-type']), /^text\/csv/);
    assert.match(String(headers['content-disposition']), /tasks\.csv/);
    assert.equal(body.split('\r\n')[0].startsWith('id,task_date,title,description,client_id,client_name,'), true);
    const [line] = await exported('?date_to=2026-11-05');
    assert.ok(line);
    assert.deepEqual(
      [
        line['title'],
        line['client_name'],
        line['elapsed_seconds'],
        line['duration'],
        line['total_price'],
        line['billable'],
      ],
      ['Lines,\n"quotes" and ü', 'Bakery "Harbour", Ltd', '5400', '01:30:00', '18.75', 'true'],
    );
  });

  it('when a text looks like a formula, then its cell starts with an apostrophe', async () => {
    for (const sign of ['=', '+', '-', '@', '\t', '\r'])
      await addTask(world, { title: 'formula', description: `a`, client_id: client }).then(({ id }) =>
        world.container.database
          .knex('time_tasks')
          .where({ id })
          .update({ description: `${sign}cmd|' /C calc'!A0` }),
      );
    await addTask(world, { title: '=HYPERLINK("http://evil.example")', client_id: client });
    const lines = await exported();
    const cells = lines.filter(({ title }) => title === 'formula').map(({ description }) => description?.slice(0, 2));
    assert.deepEqual(cells, [`'=`, `'+`, `'-`, `'@`, `'\t`, `'\r`]);
    assert.ok(lines.some(({ title }) => title?.startsWith(`'=HYPERLINK`)));
  });

  it('when there are more tasks than in a page, then all are exported once and in order', async () => {
    const { knex } = world.container.database;
    const [model] = await knex('time_tasks').orderBy('id').limit(1);
    const { id: _id, ...row } = model as Record<string, unknown>;
    for (let start = 0; start < 1_300; start += 100) {
      const rows = Array.from({ length: 100 }, (_, index) => {
        const day = `2025-01-${String(1 + ((start + index) % 7)).padStart(2, '0')}`;
        return { ...row, title: 'many', title_key: 'many', task_date: day };
      });
      await knex('time_tasks').insert(rows);
    }
    const lines = await exported('?date_to=2025-12-31&search=MANY');
    assert.equal(lines.length, 1_300);
    const keys = lines.map(({ task_date: day, id }) => `${day} ${id?.padStart(9, '0')}`);
    assert.deepEqual(keys, [...new Set(keys)].sort());
    const statements = await world.countStatements(() => exported('?date_to=2025-12-31'));
    assert.ok(statements < 20, `${statements} statements`);
  });

  it('when many tasks share a bucket and a client, then these are read once for all pages', async () => {
    const { knex } = world.container.database;
    const owners = await createClientWithBucket(world, 'Shared');
    const { id } = await addTask(world, {
      ...{ title: 'shared', client_id: owners.client, bucket_id: owners.bucket, timer_mode: 'count_down' },
    });
    const [{ id: _id, ...row } = {}] = await knex('time_tasks').where({ id });
    const query = `?bucket_id=${owners.bucket}`;
    const onePage = await countStatements(world, () => exported(query));
    for (let start = 0; start < 1_200; start += 100)
      await knex('time_tasks').insert(Array.from({ length: 100 }, () => row));
    const lines = await exported(query);
    assert.equal(lines.length, 1_201);
    assert.ok(
      lines.every(({ bucket_title: title, hourly_price: price }) => title === "Shared's hours" && price === '80'),
    );
    // Each of the four further pages of 300 tasks is one statement.
    assert.equal(await countStatements(world, () => exported(query)), onePage + 4);
  });

  it('when no task matches, then the file has only the header', async () => {
    const { body } = await world.request('GET', `${PATH}?client_id=9999`);
    assert.equal(body.split('\r\n').filter(Boolean).length, 1);
  });
});
