import assert from 'node:assert/strict';
import { withSchemas, writtenOut, type Source, type Sources } from '../../scripts/contract/short/index.ts';

const ref = (name: string): object => ({ $ref: name });
const responses = { 200: { description: 'Done.' } };
const LookInput = { type: 'object', required: ['site_id_or_domain'], properties: { site_id_or_domain: {} } };
const ListInput = { type: 'object', properties: { page: {} } };

/** A file of an ability, with what is planted in its path. */
const abilityFile = (readonly: boolean, path: object, schemas: object): Source => ({
  path: { summary: 'Look', 'x-ability': { readonly }, ...path },
  ...schemas,
});
const pathOf = (source: Source): Record<string, unknown> =>
  writtenOut('abilities/x/look-v1.yaml', source)['path'] ?? {};

describe('what a source says in short', () => {
  it('when further verbs are named, then each has an operation, under its own id', () => {
    const edit = { operationId: 'tags_edit', summary: 'Change', responses };
    const source = { path: { put: { 'x-also': ['patch', 'post'], ...edit } } };
    assert.deepEqual(writtenOut('v2/tags/edit.yaml', source), {
      path: {
        put: edit,
        patch: { ...edit, operationId: 'tags_edit__patch' },
        post: { ...edit, operationId: 'tags_edit__post' },
      },
    });
  });

  it('when an ability changes something, then it has a body and no second verb', () => {
    const input = { site_id_or_domain: 12 };
    const post = { operationId: 'look-v1', tags: ['sites'], 'x-audit': true, 'x-input': input, responses };
    const path = pathOf(abilityFile(false, { post }, { LookInput }));
    assert.deepEqual(Object.keys(path), ['summary', 'x-ability', 'post']);
    assert.deepEqual(path['post'], {
      operationId: 'look-v1',
      tags: ['sites'],
      summary: 'Look',
      'x-audit': true,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              description: 'The call.',
              additionalProperties: false,
              required: ['input'],
              properties: { input: ref('#/LookInput') },
            },
            example: { input },
          },
        },
      },
      responses,
    });
  });

  it('when an ability reads, then it has both verbs, each with an example of its own where it has one', () => {
    const get = { operationId: 'look-v1', tags: [], 'x-input': { page: 1 }, responses };
    const path = pathOf(abilityFile(true, { get, post: { 'x-input': { page: 4 } } }, { ListInput })) as {
      get: { parameters: object[] };
      post: { operationId: string; requestBody: { required: boolean } };
    };
    assert.deepEqual(path.get.parameters, [
      {
        name: 'input',
        in: 'query',
        description: 'The fields in brackets, as in `input[page]=2`.',
        style: 'deepObject',
        explode: true,
        schema: ref('#/ListInput'),
        example: { page: 1 },
      },
    ]);
    assert.deepEqual([path.post.operationId, path.post.requestBody.required], ['look-v1__post', false]);
    assert.match(JSON.stringify(path.post), /"default":\{\}.*"example":\{"input":\{"page":4\}\}/);
  });

  it('when an ability has no schema of its input, then it is refused', () => {
    const post = { operationId: 'look-v1', tags: [], 'x-input': {}, responses };
    assert.throws(() => pathOf(abilityFile(false, { post }, {})), /no schema called <Name>Input/);
  });

  it('when an answer has an envelope, then it begins and ends as all of its kind', () => {
    const written = {
      'x-envelope': 'written',
      description: 'Saved.',
      properties: { data: ref('#/Tag'), warnings: {} },
    };
    const schemas = { Written: { ...written, 'x-optional': ['warnings'] } } as unknown as Source;
    assert.deepEqual(writtenOut('v2/tags/fields.yaml', schemas)['Written'], {
      type: 'object',
      description: 'Saved.',
      additionalProperties: false,
      required: ['success', 'message', 'data'],
      properties: {
        success: ref('../fields.yaml#/Success'),
        message: ref('../fields.yaml#/Message'),
        data: ref('#/Tag'),
        warnings: {},
      },
    });
    const list = { List: { ...written, 'x-envelope': 'list' } } as unknown as Source;
    const { properties } = writtenOut('v2/fields.yaml', list)['List'] as { properties: object };
    assert.deepEqual(Object.keys(properties), ['success', 'data', 'total', 'page', 'per_page', 'pages', 'warnings']);
    const page = { Page: { ...written, 'x-envelope': 'page' } } as unknown as Source;
    const { required } = writtenOut('v2/fields.yaml', page)['Page'] as { required: string[] };
    assert.deepEqual(required, ['success', 'data', 'warnings', 'total', 'page', 'per_page', 'pages']);
    const strange = { List: { ...written, 'x-envelope': 'lists' } } as unknown as Source;
    assert.throws(() => writtenOut('v2/fields.yaml', strange), /no envelope lists/);
  });

  it('when a segment of the reports is told, then it has a route, and schemas of its own for what it tells', () => {
    const segment = {
      ...{ title: 'plugins', description: 'What was done.', sources: ['change-log'], actions: ['updated', 'deleted'] },
      item: { name: { type: 'string', examples: ['Akismet'] } },
      counts: { updated: 'Updates.' },
    };
    const shared = [
      'ReportSegment',
      'ReportStartDate',
      'ReportEndDate',
      'ReportTotal',
      'ReportSections',
      'ReportTokens',
    ];
    const sources = new Map<string, Source>([
      ['v2/sites/fields.yaml', { SiteReference: {} }],
      ['v2/pro-reports/fields.yaml', Object.fromEntries(shared.map((name) => [name, {}]))],
    ]);
    const whole = writtenOut('v2/pro-reports/plugins.yaml', { segment }, sources);
    const { get } = whole['path'] as { get: { operationId: string; 'x-module': string; parameters: object[] } };
    assert.deepEqual(
      [get.operationId, get['x-module'], get.parameters.length],
      ['pro_reports_plugins', 'pro-reports', 4],
    );
    assert.match(JSON.stringify(get), /"items":\[\{"name":"Akismet"\}\],"counts":\{"updated":0\}/);
    const parts = ['Item', 'Counts', 'Summary', 'Source', 'Action'].map((part) => `PluginsReport${part}`);
    assert.deepEqual(Object.keys(whole).sort(), ['PluginsReport', ...parts, 'PluginsReportRead', 'path'].sort());
    assert.deepEqual(whole['PluginsReportCounts']?.['required'], ['updated']);
    assert.deepEqual(whole['PluginsReportSource']?.['enum'], ['change-log', 'none']);
    assert.deepEqual(whole['PluginsReportAction']?.['enum'], ['updated', 'deleted']);
    assert.deepEqual((whole['PluginsReport'] as { required: string[] }).required, [
      'sections_data',
      'other_tokens_data',
    ]);
  });

  describe('of a field that is like a setting', () => {
    const properties = {
      mode: { type: 'string', enum: ['up', 'down'], default: 'up', description: 'Which way.', examples: ['up'] },
      limits: { type: 'object', properties: { days: { type: 'integer', minimum: 0, maximum: 365, default: 30 } } },
    };
    const sources = new Map([['v2/settings/shop.yaml', { group: { properties } }]]) as unknown as Sources;
    const writtenAs = (schema: object): unknown =>
      withSchemas('v2/tags/fields.yaml', { Field: { ...schema } }, sources)['Field'];

    it('when it is named, then its range and words stand in the place of the key, and nothing else of it does', () => {
      const days = { 'x-like': 'shop.limits.days', description: 'Days.' };
      const shape = '{"type":"integer","minimum":0,"maximum":365,"description":"Days."}';
      assert.equal(JSON.stringify(writtenAs(days)), shape);
      assert.deepEqual(writtenAs({ 'x-like': 'shop.mode' }), { type: 'string', enum: ['up', 'down'] });
    });

    it('when something stands beside it, then that is other, and words come behind its own', () => {
      const schema = { type: ['string', 'null'], 'x-like': 'shop.mode', enum: ['left', null] };
      assert.deepEqual(writtenAs(schema), { type: ['string', 'null'], enum: ['up', 'down', 'left', null] });
      assert.deepEqual(writtenAs({ 'x-like': 'shop.limits.days', maximum: 90 }), {
        type: 'integer',
        minimum: 0,
        maximum: 90,
      });
    });

    it('when the fields of a group are named, then their names are its words', () => {
      const schema = { type: 'string', 'x-fields-of': 'shop', description: 'A setting.' };
      const words = '{"type":"string","enum":["mode","limits"],"description":"A setting."}';
      assert.equal(JSON.stringify(writtenAs(schema)), words);
    });

    it('when there is no such setting or group, then it is refused', () => {
      assert.throws(() => writtenAs({ 'x-like': 'shop.colour' }), /no setting shop\.colour/);
      assert.throws(() => writtenAs({ 'x-like': 'mill.mode' }), /no group of settings mill/);
      assert.throws(() => writtenAs({ 'x-fields-of': 'mill' }), /no group of settings mill/);
    });
  });

  describe('of a record that an example shows', () => {
    const Tag = {
      'x-example': { sites: [12] },
      properties: {
        id: { $ref: '../fields.yaml#/TagId' },
        status: { enum: ['open', 'shut'] },
        name: { examples: ['shops', 'mills'] },
        sites: {},
      },
    };
    const sources = new Map([
      ['v2/fields.yaml', { TagId: { examples: [7] } }],
      ['v2/tags/fields.yaml', { Tag }],
    ]) as unknown as Sources;
    const exampleOf = (example: object): unknown =>
      writtenOut('v2/tags/get.yaml', { path: { example } }, sources)['path']?.['example'];

    it('when it is named, then it is the first example of each of its fields, unless the record says another', () => {
      const record = { id: 7, status: 'open', name: 'shops', sites: [12] };
      assert.deepEqual(exampleOf({ data: [{ 'x-example': 'fields.yaml#/Tag' }] }), { data: [record] });
      const own = writtenOut('v2/tags/fields.yaml', { Tag }, sources)['Tag'] ?? {};
      assert.deepEqual(own, { properties: Tag.properties });
    });

    it('when it has no name, then it is named by its place in the schema around it', () => {
      const Shelf = { properties: { tag: Tag } };
      const all = new Map([...sources, ['v2/tags/fields.yaml', { Shelf }]]) as unknown as Sources;
      const source = { path: { example: { 'x-example': 'fields.yaml#/Shelf/properties/tag', sites: [] } } };
      const tag = { id: 7, status: 'open', name: 'shops', sites: [] };
      assert.deepEqual(writtenOut('v2/tags/get.yaml', source, all)['path']?.['example'], tag);
    });

    it('when fields stand beside it or are left out, then it has these and lacks those', () => {
      const example = { 'x-example': 'fields.yaml#/Tag', name: 'mills', 'x-without': ['sites', 'status'] };
      assert.deepEqual(exampleOf(example), { id: 7, name: 'mills' });
    });

    it('when a record must hold others, then it shows them, and what may be left out is', () => {
      const inner = { required: ['tag', 'tags'], properties: { tag: ref('#/Tag'), tags: { items: ref('#/Tag') } } };
      const Shelf = { ...inner, properties: { ...inner.properties, spare: ref('#/Tag') } };
      const all = new Map([...sources, ['v2/tags/fields.yaml', { Tag, Shelf }]]) as unknown as Sources;
      const source = { path: { example: { 'x-example': 'fields.yaml#/Shelf' } } };
      const tag = { id: 7, status: 'open', name: 'shops', sites: [12] };
      assert.deepEqual(writtenOut('v2/tags/get.yaml', source, all)['path']?.['example'], { tag, tags: [tag] });
    });

    it('when a record must hold a value of several kinds or a single value, then it shows the first of them', () => {
      const Shelf = {
        required: ['tag', 'kind'],
        properties: { tag: { anyOf: [ref('#/Tag'), { type: 'null' }] }, kind: { const: 'shelf' } },
      };
      const all = new Map([...sources, ['v2/tags/fields.yaml', { Tag, Shelf }]]) as unknown as Sources;
      const source = { path: { example: { 'x-example': 'fields.yaml#/Shelf' } } };
      const tag = { id: 7, status: 'open', name: 'shops', sites: [12] };
      assert.deepEqual(writtenOut('v2/tags/get.yaml', source, all)['path']?.['example'], { tag, kind: 'shelf' });
    });

    it('when what is special about it names a record, then that one is looked for beside its schema', () => {
      const Shelf = {
        'x-example': { spare: { 'x-example': '#/Tag', name: 'mills', 'x-without': ['sites'] } },
        properties: { spare: ref('#/Tag') },
      };
      const all = new Map([...sources, ['v2/tags/shelves.yaml', { Shelf, Tag }]]) as unknown as Sources;
      const source = { path: { example: { 'x-example': '../tags/shelves.yaml#/Shelf' } } };
      const spare = { id: 7, status: 'open', name: 'mills' };
      assert.deepEqual(writtenOut('v2/sites/get.yaml', source, all)['path']?.['example'], { spare });
    });

    it('when it is made of a group of settings, then its example is made of the fields of the group', () => {
      const group = { title: 'shop settings', description: 'How it sells.', effect: 'At once.', example: { open: 1 } };
      const open = { type: 'integer', enum: [0, 1], default: 0, description: '1 sells.', examples: [1] };
      const settings = { group: { ...group, properties: { open } } };
      const shop = withSchemas('v2/settings/shop.yaml', settings, new Map());
      const source = { path: { example: { 'x-example': '../settings/shop.yaml#/ShopSettings' } } };
      const whole = writtenOut('v2/tags/get.yaml', source, new Map([['v2/settings/shop.yaml', shop]]));
      assert.deepEqual(whole['path']?.['example'], { open: 1 });
    });

    it('when the example of a field or the schema of an answer is behind it, then both are written out first', () => {
      const Shelf = { properties: { tag: { examples: [{ 'x-example': '#/Tag' }] } } };
      const Read = { 'x-envelope': 'read', description: 'A shelf.', properties: { data: ref('#/Shelf') } };
      const fields = { Tag, Shelf, Read: withSchemas('v2/tags/fields.yaml', { Read }, new Map())['Read'] };
      const shared = { ...sources.get('v2/fields.yaml'), Success: { const: 1 } };
      const all = new Map(Object.entries({ 'v2/fields.yaml': shared, 'v2/tags/fields.yaml': fields }));
      const source = { path: { example: { 'x-example': 'fields.yaml#/Read' } } };
      const data = { tag: { id: 7, status: 'open', name: 'shops', sites: [12] } };
      const whole = writtenOut('v2/tags/get.yaml', source, all as unknown as Sources);
      assert.deepEqual(whole['path']?.['example'], { success: 1, data });
    });

    it('when its schema leaves fields out, then those are shown where they are named or stand beside it', () => {
      const Hidden = { ...Tag, 'x-example': { sites: [12], 'x-without': ['id', 'sites'] } };
      const all = new Map([...sources, ['v2/tags/fields.yaml', { Hidden }]]) as unknown as Sources;
      const shownBy = (more: object): unknown => {
        const source = { path: { example: { 'x-example': 'fields.yaml#/Hidden', ...more } } };
        return writtenOut('v2/tags/get.yaml', source, all)['path']?.['example'];
      };
      assert.deepEqual(shownBy({}), { status: 'open', name: 'shops' });
      const shown = shownBy({ 'x-with': ['sites'], id: 9 });
      assert.equal(JSON.stringify(shown), '{"id":9,"status":"open","name":"shops","sites":[12]}');
    });

    it('when no such record is there, then it is refused', () => {
      assert.throws(
        () => exampleOf({ 'x-example': 'fields.yaml#/Tags' }),
        /get\.yaml: fields\.yaml#\/Tags leads nowhere/,
      );
    });
  });

  it('when an answer is paged, then it has the headers of a page, and its numbers in the example', () => {
    const content = { 'application/json': { schema: ref('#/List'), example: { data: [1], site: 2 } } };
    const writtenAs = (place: unknown): string => {
      const answer = { 'x-paged': place, description: 'One page.', content };
      return JSON.stringify(writtenOut('v2/tags/list.yaml', { path: { get: { responses: { 200: answer } } } }));
    };
    const written = writtenAs(true);
    assert.match(written, /"X-WP-Total":\{"\$ref":"\.\.\/fields\.yaml#\/TotalHeader"\}/);
    assert.match(written, /"success":1,"data":\[1\],"total":1,"page":1,"per_page":20,"pages":1,"site":2/);
    assert.match(writtenAs('last'), /"success":1,"data":\[1\],"site":2,"total":1,"page":1,"per_page":20,"pages":1/);
  });
});
