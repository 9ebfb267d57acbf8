import assert from 'node:assert/strict';
import { KINDS, levelOf } from '../../../src/contract-checks/index.ts';
import { changesOf } from '../../../src/contract-checks/index.ts';
import { inputSchema, outputSchema, withPlantedChange, removeOperation, smallContract } from './planted-changes.ts';
import { OPERATION_CHANGES } from './planted-operations.ts';
import { RESPONSE_CHANGES, INPUT_CHANGES } from './planted-schemas.ts';

const ROWS = [...OPERATION_CHANGES, ...INPUT_CHANGES, ...RESPONSE_CHANGES];

describe('kinds of contract changes', () => {
  for (const { when, plant, kind, subject, reverseKind: back } of ROWS)
    it(`when ${when}, then the kind is ${kind}${back === undefined ? '' : `, and ${back} in the other direction`}`, () => {
      const [before, after] = [smallContract(), withPlantedChange(plant)];
      const found = changesOf('v2', before, after).filter((each) => each.kind !== 'wording' || kind === 'wording');
      assert.deepEqual(
        found.map((each) => [each.kind, each.subject]),
        [[kind, subject]],
        JSON.stringify(found, null, 1),
      );
      assert.equal(found[0]?.level, levelOf(kind));
      assert.match(found[0]?.message ?? '', /^.+\.$/);
      if (back === undefined) return;
      const [other] = changesOf('v2', after, before).filter((each) => each.kind === back);
      assert.ok(other, `${back} is not noticed`);
    });

  it('when all kinds are counted, then each has a test case and each message is unique', () => {
    const seen = new Set(ROWS.flatMap(({ kind, reverseKind: back }) => [kind, ...(back ? [back] : [])]));
    assert.deepEqual(
      Object.values(KINDS)
        .flat()
        .filter((kind) => !seen.has(kind)),
      [],
    );
    const byMessage = new Map<string, string>();
    for (const { plant, kind, subject } of ROWS) {
      const message = changesOf('v2', smallContract(), withPlantedChange(plant))[0]?.message ?? '';
      assert.equal(byMessage.get(message) ?? `${kind} ${subject}`, `${kind} ${subject}`, message);
      byMessage.set(message, `${kind} ${subject}`);
    }
  });

  it('when nothing changes, then no change is reported, also for recursive schemas', () => {
    assert.deepEqual(changesOf('v2', smallContract(), smallContract()), []);
  });

  it('when a limit moves from beside a reference into a schema of another name, then only the name is reported', () => {
    const withSize = (size: object, schemas: object) =>
      withPlantedChange((c) => {
        inputSchema(c).properties.size = size;
        Object.assign(c.components.schemas, schemas);
      });
    const before = withSize({ $ref: '#/components/schemas/Size', maximum: 9 }, { Size: { type: 'integer' } });
    const moved = (maximum: number) =>
      withSize({ $ref: '#/components/schemas/UpToNine' }, { UpToNine: { type: 'integer', maximum } });
    const kindsOf = (now: ReturnType<typeof moved>) => changesOf('v2', before, now).map(({ kind }) => kind);
    assert.deepEqual(kindsOf(moved(9)), ['schema-renamed']);
    assert.deepEqual(kindsOf(moved(8)), ['schema-renamed', 'input-limit-tightened']);
  });

  it('when a nullable type is written in another form, then no change is reported', () => {
    const other = withPlantedChange(
      (c) => (outputSchema(c).properties.owner = { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Owner' }] }),
    );
    assert.deepEqual(changesOf('v2', smallContract(), other), []);
  });

  it('when a schema of several operations changes, then one change with all operations is reported', () => {
    const [change, ...more] = changesOf(
      'v2',
      smallContract(),
      withPlantedChange((c) => delete outputSchema(c).properties.size),
    );
    assert.deepEqual(more, []);
    assert.deepEqual(change?.operations, ['things_list', 'things_create']);
  });

  it('when a deprecated operation is removed, then the message has its sunset date', () => {
    const announced = withPlantedChange(
      (c) => (removeOperation(c)['x-deprecation'] = { since: '2026-01-01', sunset: '2027-01-01' }),
    );
    const [change] = changesOf(
      'v2',
      announced,
      withPlantedChange((c) => delete c.paths['/things/{id}']),
    );
    assert.match(change?.message ?? '', /until 2027-01-01/);
  });
});
