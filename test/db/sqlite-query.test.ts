import assert from 'node:assert/strict';
import { SqliteConnection, type Binding } from '../../src/db/drivers/sqlite-connection.ts';

const ROWS = 40;

describe('rows of an SQLite connection', () => {
  let connection: SqliteConnection;
  const rowsOf = (sql: string, bindings: Binding[] = []) => {
    const outcome = connection.run(sql, bindings);
    assert.ok('rows' in outcome);
    return outcome.rows;
  };

  beforeEach(() => {
    connection = new SqliteConnection(':memory:');
    connection.run('create table things (id integer primary key, label text, at bigint, weight float, data blob)', []);
    for (let id = 1; id <= ROWS; id++)
      connection.run('insert into things (id, label, at, weight, data) values (?, ?, ?, ?, ?)', [
        id,
        id % 2 === 0 ? null : `"${id}" \\ \u0001 é 💥`,
        Number.MAX_SAFE_INTEGER - id,
        0.1 + 0.2 + id,
        Buffer.from([0, id]),
      ]);
  });

  afterEach(() => connection.close());

  it('when a large result is read again, then texts, numbers and nulls are the stored ones, in order', () => {
    const expected = Array.from({ length: ROWS }, (_, at) => ROWS - at).map((id) => ({
      id,
      label: id % 2 === 0 ? null : `"${id}" \\ \u0001 é 💥`,
      at: Number.MAX_SAFE_INTEGER - id,
    }));
    for (let run = 1; run <= 3; run++)
      assert.deepEqual(rowsOf('select id, label, at from things order by id desc'), expected, `run ${run}`);
  });

  it('when a large result has floating-point numbers or bytes, then none of their digits is lost', () => {
    for (let run = 1; run <= 3; run++) {
      const rows = rowsOf('select id, weight, weight / 3 as third, data from things order by id');
      assert.equal(rows[6]?.['weight'], 0.1 + 0.2 + 7);
      assert.equal(rows[6]?.['third'], (0.1 + 0.2 + 7) / 3);
      assert.deepEqual(Buffer.from(rows[6]?.['data'] as Uint8Array), Buffer.from([0, 7]));
    }
  });

  it('when the number of rows changes between runs, then each run has its own rows', () => {
    const counts = [ROWS, 0, 1, ROWS].map(
      (most) => rowsOf('select id, label from things where id <= ?', [most]).length,
    );
    assert.deepEqual(counts, [ROWS, 0, 1, ROWS]);
  });

  it('when two columns have the same name, then the row has the value of the last', () => {
    for (let run = 1; run <= 3; run++)
      assert.deepEqual(rowsOf('select id, label as id from things where id < 40')[0], { id: '"1" \\ \u0001 é 💥' });
  });
});
