import assert from 'node:assert/strict';
import type { Document } from '../../scripts/contract/document.ts';
import { misnamedFiles } from '../../scripts/contract/parts.ts';
import type { Surface } from '../../src/contract/surfaces.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

/** Returns the problems of file names. Each file has the operations of a path by verb. */
function problemsOf(surface: Surface, files: Record<string, Record<string, string>>): string[] {
  const entries = Object.entries(files);
  const paths = entries.map(([, verbs], index) => [
    `/${index}`,
    Object.fromEntries(Object.entries(verbs).map(([verb, operationId]) => [verb, { operationId, responses: {} }])),
  ]);
  const contents = entries.map(([file], index) => [`/${index}`, { $ref: file }]);
  const document = { paths: Object.fromEntries(paths), components: {} } as unknown as Document;
  return misnamedFiles(surface, document, Object.fromEntries(contents));
}

describe('file names of the contract', () => {
  it('when a file is named after its operation, then there is no problem', () => {
    const files = {
      'tags/get.yaml': { get: 'tags_get' },
      'jobs/get.yaml': { get: 'jobs_get', delete: 'jobs_cancel' },
      'uptime/monitors-list.yaml': { get: 'monitors_list' },
      'settings/time-tracker-edit.yaml': {
        put: 'settings_time_tracker_edit',
        patch: 'settings_time_tracker_edit__patch',
      },
    };
    assert.deepEqual(problemsOf('v2', files), []);
    assert.deepEqual(problemsOf('abilities', { 'sites/count-sites-v1.yaml': { get: 'count-sites-v1' } }), []);
  });

  it('when a file has another name, then the problem gives the correct name', () => {
    assert.deepEqual(problemsOf('v2', { 'tags/read.yaml': { get: 'tags_get' } }), [
      'openapi/v2/tags/read.yaml holds tags_get, and is called tags/get.yaml then.',
    ]);
    assert.deepEqual(problemsOf('abilities', { 'sites/count.yaml': { get: 'count-sites-v1' } }), [
      'openapi/abilities/sites/count.yaml holds count-sites-v1, and is called sites/count-sites-v1.yaml then.',
    ]);
  });

  it('when verbs of one file belong to different parts, then a problem is reported', () => {
    assert.deepEqual(problemsOf('v2', { 'tags/get.yaml': { get: 'tags_get', delete: 'sites_delete' } }), [
      'openapi/v2/tags/get.yaml holds tags_get and sites_delete, which are of two parts.',
    ]);
  });

  for (const surface of ['abilities', 'v2'] as const)
    it(`when the files of ${surface} are checked, then there is no problem`, () => {
      assert.deepEqual(misnamedFiles(surface, readContract(surface) as Document), []);
    });
});
