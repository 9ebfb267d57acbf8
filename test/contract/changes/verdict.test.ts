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

describe('what the changelog must say of a change', () => {
  it('when a breaking change is announced by what changed, or by all its operations, then it passes', () => {
    for (const subject of ['Thing.size', 'things_list, things_create']) {
      const changelog = `## Unreleased\n\n### Breaking\n\n- breaking(field-removed) ${subject}: Weigh it yourself.\n`;
      const { changes, problems } = verdictFor(dropSize, changelog);
      assert.deepEqual(problems, []);
      assert.equal(changes[0]?.announced, true);
    }
  });

  it('when it is not announced, then the line to write is shown', () => {
    const { problems } = verdictFor(dropSize, '## Unreleased\n');
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /field-removed \(v2, 2 operations\): Thing has no size any more/);
    assert.match(problems[0] ?? '', /- breaking\(field-removed\) Thing\.size: <what callers must do>/);
  });

  it('when one of several operations is announced, or another kind, or in an old version, then it fails', () => {
    for (const changelog of [
      '## Unreleased\n\n- breaking(field-removed) things_list: Weigh it yourself.\n',
      '## Unreleased\n\n- breaking(field-renamed) Thing.size: Weigh it yourself.\n',
      '## Unreleased\n\n## 0.1.0\n\n- breaking(field-removed) Thing.size: Weigh it yourself.\n',
      '# Changelog\n',
    ])
      assert.match(verdictFor(dropSize, changelog).problems[0] ?? '', /Thing has no size any more/, changelog);
  });

  it('when what is announced did not happen, or no such kind exists, or it says nothing, then it fails', () => {
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

  it('when an operation is new, then the changelog must name it, its path, or its part', () => {
    const told = (line: string): string[] => verdictFor(addOperation, `## Unreleased\n\n- ${line}\n`).problems;
    for (const line of ['`gadgets_get` is new.', '`GET /gadgets/{id}`', 'Gadgets (`/gadgets`): small things.'])
      assert.deepEqual(told(line), [], line);
    for (const line of ['Gadgets.', '`/gadgets-of-sites`', '`gadgets_get_all`', '/old/gadgets'])
      assert.match(told(line)[0] ?? '', /Name gadgets_get or its path/, line);
  });

  it('when an operation is new with further verbs, then the changelog must name the operation alone', () => {
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

  it('when an operation gets a further verb or deprecates it, then no line is needed', () => {
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

  it('when a further verb breaks with its operation, then one line announces both, and alone it needs its own', () => {
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

  it('when a field or a parameter is new, then no line is asked for', () => {
    const { changes, problems } = verdictFor((contract) => {
      outputSchema(contract).properties.weight = { type: 'boolean' };
    }, '## Unreleased\n');
    assert.deepEqual(problems, []);
    assert.equal(changes[0]?.level, 'additive');
  });
});
