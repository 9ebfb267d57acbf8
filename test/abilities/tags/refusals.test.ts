import { startWorld, type World } from '../../support/world.ts';
import { testRefusals, type RefusalCases } from '../../support/refusals.ts';

describe('invalid input of tag abilities', () => {
  let world: World;
  before(async () => (world = await startWorld()));
  after(() => world.close());

  let made = 0;
  /** Creates a tag for each call, because some calls delete it. */
  const aTag = async (): Promise<{ tag_id: number }> => {
    const { id } = await world.container.services.tags.tags.create({ name: `tag ${++made}` }, 'test');
    return { tag_id: id };
  };
  const badReference = [0, -1, 1.5, '', '7', 'shop', null, [1]].map((value): [string, unknown] => ['tag_id', value]);
  const badPage: [string, unknown][] = [
    ['page', 0],
    ['page', 'x'],
    ['per_page', 0],
    ['per_page', 101],
  ];
  const badFields: [string, unknown][] = [
    ['name', ''],
    ['name', '  '],
    ['name', 'x'.repeat(256)],
    ['name', 1],
    ...['red', '#12', '#1234', '#12345g', '1a73e8', '', '#1a73e8;', ' #fff', 7].map((value): [string, unknown] => [
      'color',
      value,
    ]),
  ];
  const one = { input: aTag, reference: 'tag_id', required: 'tag_id' } as const;
  const abilities: RefusalCases[] = [
    {
      name: 'list-tags-v1',
      reads: true,
      input: () => ({ page: 1 }),
      bad: [...badPage, ['search', 1], ['search', 'x'.repeat(201)], ['include', [0]], ['exclude', {}]],
    },
    { name: 'get-tag-v1', reads: true, ...one, bad: badReference },
    {
      name: 'add-tag-v1',
      reads: false,
      input: () => ({ name: `new ${++made}` }),
      required: 'name',
      bad: [...badFields, ['color', null]],
    },
    { name: 'update-tag-v1', reads: false, ...one, bad: [...badReference, ...badFields] },
    {
      name: 'delete-tag-v1',
      reads: false,
      ...one,
      input: async () => ({ ...(await aTag()), confirm: true }),
      bad: [...badReference, ['confirm', 1], ['dry_run', 'no']],
    },
    { name: 'get-tag-sites-v1', reads: true, ...one, bad: [...badReference, ...badPage] },
    { name: 'get-tag-clients-v1', reads: true, ...one, bad: [...badReference, ...badPage] },
  ];
  for (const each of abilities) testRefusals(() => world, each);
});
