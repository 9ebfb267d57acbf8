import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  deref,
  abilityInputOf,
  jsonMediaOf,
  operationsOf,
  parametersOf,
  type LocatedOperation,
} from '../../src/contract/index.ts';
import { differencesGuide } from '../../scripts/build/generate.ts';
import {
  ADDRESS_ROWS,
  FIELD_ROWS,
  UNSUPPORTED_ROWS,
  OPERATION_ROWS,
  ERROR_ROWS,
} from '../../src/surfaces/compat/table/index.ts';
import { readContract, type SurfaceName } from '../../src/surfaces/generated-files.ts';

const places = (surface: SurfaceName): LocatedOperation[] => operationsOf(readContract(surface));

/** Returns the names that a row can use: input or body fields and query parameters. */
function namesOf(surface: SurfaceName, place: LocatedOperation): Set<string> {
  const contract = readContract(surface);
  const schema = place.item['x-ability']
    ? abilityInputOf(contract, place.item)
    : (jsonMediaOf(deref(contract, place.operation.requestBody ?? {}))?.schema ?? {});
  return new Set([
    ...Object.keys(deref(contract, schema).properties ?? {}),
    ...parametersOf(contract, place).map(({ name }) => name),
  ]);
}

describe('table of the compatibility mount', () => {
  it('when a row names an operation or field of the service, then the contract has it', () => {
    for (const {
      surface,
      operations,
      input = {},
      valueMaps: words = {},
      defaults = {},
      rejectedFields: refused = [],
      note,
    } of OPERATION_ROWS)
      for (const id of operations.filter((each) => each !== '*')) {
        const found = places(surface).filter((place) => place.id === id);
        assert.ok(found.length > 0, `${note}: no operation ${id}`);
        const names = new Set(found.flatMap((place) => [...namesOf(surface, place)]));
        const named = [...Object.values(input), ...Object.keys(words), ...Object.keys(defaults)];
        // In a batch, the name can belong to a field of a group.
        if (!id.includes('batch')) for (const name of named) assert.ok(names.has(name), `${id} takes no ${name}`);
        for (const name of Object.keys(input)) assert.ok(!names.has(name), `${id} takes ${name} itself`);
        assert.ok(refused.length < 10);
      }
  });

  it('when a row lists an ignored field, then the operation has no such field', () => {
    for (const { surface, operations, ignoredFields: idle = [] } of OPERATION_ROWS)
      for (const place of places(surface).filter(({ id }) => operations.includes(id)))
        for (const name of idle) assert.ok(!namesOf(surface, place).has(name.replace(/^mainwp_/, 'svc_')), name);
  });

  it('when a path is mapped, then the contract has the target path', () => {
    const shape = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replace(/\/$/, '/?')}$`);
    for (const { surface, ours, theirs } of ADDRESS_ROWS) {
      const paths = Object.keys(readContract(surface).paths);
      const fits = paths.some((path) => shape(ours).test(path) || shape(path).test(ours));
      assert.ok(fits, `${theirs} leads to ${ours}, which is nothing`);
      assert.equal(theirs.match(/\{/g)?.length, ours.match(/\{/g)?.length);
    }
  });

  it('when an error code or response field is mapped, then the contract has it', () => {
    const text = JSON.stringify(readContract('v2')) + JSON.stringify(readContract('abilities'));
    for (const { ours } of FIELD_ROWS) assert.ok(text.includes(`"${ours}"`), ours);
    const codes = new Set(text.match(/\b(svc|rest)_[a-z_]+/g));
    for (const { ours } of ERROR_ROWS) assert.ok(codes.has(ours), ours);
  });

  it('when the table has a note, then the guide contains it', () => {
    const guide = readFileSync('docs/guides/differences.md', 'utf8').replace(/\s+/g, ' ');
    for (const { note } of [...OPERATION_ROWS, ...ADDRESS_ROWS, ...FIELD_ROWS, ...ERROR_ROWS])
      assert.ok(guide.includes(note), note);
    for (const { subject, reason } of UNSUPPORTED_ROWS)
      assert.ok(guide.includes(subject) && guide.includes(reason), subject);
  });

  it('when npm run generate runs, then its output equals the stored guide', async () => {
    assert.equal(readFileSync('docs/guides/differences.md', 'utf8'), await differencesGuide());
  });
});
