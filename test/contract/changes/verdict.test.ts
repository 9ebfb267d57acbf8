import assert from 'node:assert/strict';
import { judgeChanges, type Verdict } from '../../../scripts/check/changes/verdict.ts';
import {
  outputSchema,
  createOperation,
  listOperation,
  withPlantedChange,
  smallContract,
  type LooseContract,
} from './planted-changes.ts';

function verdictFor(plant: (contract: LooseContract) => void, changelog: string): Verdict {
  const empty = { ...smallContract(), paths: {} };
  return judgeChanges(
    { abilities: empty, v2: smallContract() },
    { abilities: empty, v2: withPlantedChange(plant) },
    changelog,
  );
}

const requireSearch = (contract: LooseContract): void => {
  listOperation(contract).parameters[1].required = true;
};
const dropSize = (contract: LooseContract): void => {
  delete outputSchema(contract).properties.size;
};
const addOperation = (contract: LooseContract): void => {
  contract.paths['/gadgets/{id}'] = { get: { operationId: 'gadgets_get', 'x-permission': 'read', responses: {} } };
};

describe('announcements in the changelog', () => {
  it('when the changelog announces a breaking change by its subject or by all its operations, then the check passes', () => {
    for (const subject of ['Thing.size', 'things_list, things_create']) {
      const changelog = `## Unreleased\n\n### Breaking\n\n- breaking(field-removed) ${subject}: Weigh it yourself.\n`;
      const { changes, problems } = verdictFor(dropSize, changelog);
      assert.deepEqual(problems, []);
      assert.equal(changes[0]?.announced, true);
    }
  });

  it('when a breaking change is not announced, then the problem shows the line to write', () => {
    const { problems } = verdictFor(dropSize, '## Unreleased\n');
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /field-removed \(v2, 2 operations\): Thing has no size any more/);
    assert.match(problems[0] ?? '', /- breaking\(field-removed\) Thing\.size: <what callers must do>/);
  });

  it('when an announcement has too few operations, another kind or an old version, then the check fails', () => {
    for (const changelog of [
      '## Unreleased\n\n- breaking(field-removed) things_list: Weigh it yourself.\n',
      '## Unreleased\n\n- breaking(field-renamed) Thing.size: Weigh it yourself.\n',
      '## Unreleased\n\n## 0.1.0\n\n- breaking(field-removed) Thing.size: Weigh it yourself.\n',
      '# Changelog\n',
    ])
      assert.match(verdictFor(dropSize, changelog).problems[0] ?? '', /Thing has no size any more/, changelog);
  });

  it('when an announced change did not happen, has an unknown kind or no text, then the check fails', () => {
    const ending: Record<string, RegExp> = {
      '- breaking(field-removed) Thing.name: Gone.': /announces a change that the contract does not show/,
      '- breaking(oops) Thing: Odd.': /breaking\(oops\) is none of /,
      '- breaking(parameter-required) things_list.query.search:': /must read "- breaking\(<kind>\)/,
      '- Breaking: something.': /must read "- breaking\(<kind>\)/,
    };
    for (const [line, message] of Object.entries(ending)) {
      const announced = '- breaking(parameter-required) things_list.query.search: Send it.';
      const { problems } = verdictFor(requireSearch, `## Unreleased\n\n${announced}\n${line}\n`);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', message);
    }
  });

  it('when an operation is new, then the changelog must name its ID, path or part', () => {
    const told = (line: string): string[] => verdictFor(addOperation, `## Unreleased\n\n- ${line}\n`).problems;
    for (const line of ['`gadgets_get` is new.', '`GET /gadgets/{id}`', 'Gadgets (`/gadgets`): small things.'])
      assert.deepEqual(told(line), [], line);
    for (const line of ['Gadgets.', '`/gadgets-of-sites`', '`gadgets_get_all`', '/old/gadgets'])
      assert.match(told(line)[0] ?? '', /Name gadgets_get or its path/, line);
  });

  it('when a new operation has alternative verbs, then the changelog must name only the operation', () => {
    const add = (contract: LooseContract): void => {
      addOperation(contract);
      contract.paths['/gadgets/{id}'].post = {
        ...contract.paths['/gadgets/{id}'].get,
        operationId: 'gadgets_get__post',
      };
    };
    assert.deepEqual(verdictFor(add, '## Unreleased\n\n- `gadgets_get` is new.\n').problems, []);
    const { problems } = verdictFor(add, '## Unreleased\n');
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /Name gadgets_get or its path/);
  });

  it('when an alternative verb is added or deprecated, then no changelog line is required', () => {
    const before = withPlantedChange((contract) => {
      contract.paths['/things'].put = { ...createOperation(contract), operationId: 'things_create__put' };
    });
    const empty = { ...smallContract(), paths: {} };
    const after = withPlantedChange((contract) => {
      contract.paths['/things'].put = {
        ...createOperation(contract),
        operationId: 'things_create__put',
        deprecated: true,
      };
      contract.paths['/things'].patch = { ...createOperation(contract), operationId: 'things_create__patch' };
    });
    const documents = (v2: typeof before) => ({ abilities: empty, v2 });
    const { changes, problems } = judgeChanges(documents(before), documents(after), '## Unreleased\n');
    assert.deepEqual(problems, []);
    assert.deepEqual(
      changes.map(({ kind, announced }) => [kind, announced]),
      [
        ['operation-deprecated', null],
        ['operation-added', null],
      ],
    );
  });

  it('when an alternative verb breaks with its operation, then one line is enough, and alone it needs its own line', () => {
    const withPut = (plant: (contract: LooseContract) => void) =>
      withPlantedChange((contract) => {
        const body = { required: false, ...structuredClone(createOperation(contract).requestBody) };
        contract.paths['/things'].put = {
          ...createOperation(contract),
          operationId: 'things_create__put',
          requestBody: body,
        };
        plant(contract);
      });
    const empty = { ...smallContract(), paths: {} };
    const problemsOf = (plant: (contract: LooseContract) => void, changelog: string): number =>
      judgeChanges(
        { abilities: empty, v2: withPut(() => undefined) },
        { abilities: empty, v2: withPut(plant) },
        `## Unreleased\n\n${changelog}\n`,
      ).problems.length;
    const requireBodies = (contract: LooseContract): void => {
      for (const verb of ['post', 'put']) contract.paths['/things'][verb].requestBody.required = true;
    };
    const removePut = (contract: LooseContract): void => {
      delete contract.paths['/things'].put;
    };
    assert.equal(problemsOf(requireBodies, '- breaking(body-required) things_create.body: Send it.'), 0);
    assert.equal(problemsOf(requireBodies, ''), 2);
    assert.equal(problemsOf(removePut, ''), 1);
    assert.equal(problemsOf(removePut, '- breaking(operation-removed) things_create__put: Use POST.'), 0);
  });

  it('when a field or parameter is new, then no changelog line is required', () => {
    const { changes, problems } = verdictFor((contract) => {
      outputSchema(contract).properties.weight = { type: 'boolean' };
    }, '## Unreleased\n');
    assert.deepEqual(problems, []);
    assert.equal(changes[0]?.level, 'additive');
  });
});
