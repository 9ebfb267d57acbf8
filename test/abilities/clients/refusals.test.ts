import { startWorld, type World } from '../../support/world.ts';
import { testRefusals, type RefusalCases } from '../../support/refusals.ts';

describe('invalid input of client abilities', () => {
  let world: World;
  before(async () => (world = await startWorld()));
  after(() => world.close());

  let made = 0;
  /** Creates a client for each call, because some calls delete it. */
  const aClient = async (): Promise<{ client_id_or_email: number }> => {
    const { id } = await world.container.services.clients.clients.create({ name: `Client ${++made}` }, 'test');
    return { client_id_or_email: id };
  };
  const badReference: [string, unknown][] = [
    ['client_id_or_email', 0],
    ['client_id_or_email', 1.5],
    ['client_id_or_email', ''],
    ['client_id_or_email', null],
    ['client_id_or_email', [1]],
    ['client_id_or_email', 'x'.repeat(256)],
  ];
  const badPage: [string, unknown][] = [
    ['page', 0],
    ['page', '1'],
    ['per_page', 0],
    ['per_page', 101],
    ['per_page', null],
  ];
  const badFields: [string, unknown][] = [
    ['name', ''],
    ['name', ' \t'],
    ['name', 'x'.repeat(256)],
    ['name', 7],
    ...['nobody', 'a b@example.com', 'a@b', 'a@example..com', '@example.com', 'a@', 'a@b@example.com', 7, null].map(
      (value): [string, unknown] => ['client_email', value],
    ),
    ['client_email', `${'x'.repeat(250)}@example.com`],
    ['client_phone', 'x'.repeat(65)],
    ['address_1', 'x'.repeat(256)],
    ['address_2', 'x'.repeat(256)],
    ['city', 'x'.repeat(129)],
    ['state', 'x'.repeat(129)],
    ['zip', 'x'.repeat(33)],
    ['zip', 20457],
    ['country', 'x'.repeat(129)],
    ['note', 'x'.repeat(65_536)],
    ['selected_sites', 1],
    ['selected_sites', ['example.com']],
    ['selected_sites', [0]],
  ];
  const one = { input: aClient, reference: 'client_id_or_email', required: 'client_id_or_email' } as const;
  const abilities: RefusalCases[] = [
    {
      name: 'list-clients-v1',
      reads: true,
      input: () => ({ page: 1 }),
      bad: [
        ...badPage,
        ['status', 'gone'],
        ['search', 1],
        ['search', 'x'.repeat(201)],
        ['include', 'x'],
        ['include', [0]],
        ['exclude', [1.5]],
      ],
    },
    { name: 'count-clients-v1', reads: true, input: () => ({ status: 'any' }), bad: [['status', 'connected']] },
    { name: 'get-client-v1', reads: true, ...one, bad: badReference },
    {
      name: 'add-client-v1',
      reads: false,
      input: () => ({ name: 'New' }),
      required: 'name',
      bad: badFields,
    },
    { name: 'update-client-v1', reads: false, ...one, bad: [...badReference, ...badFields] },
    {
      name: 'delete-client-v1',
      reads: false,
      ...one,
      input: async () => ({ ...(await aClient()), confirm: true }),
      bad: [...badReference, ['confirm', 'yes'], ['dry_run', 1]],
    },
    { name: 'get-client-sites-v1', reads: true, ...one, bad: [...badReference, ...badPage] },
    { name: 'count-client-sites-v1', reads: true, ...one, bad: badReference },
    { name: 'get-client-costs-v1', reads: true, ...one, bad: badReference },
    { name: 'suspend-client-v1', reads: false, ...one, bad: badReference },
    { name: 'unsuspend-client-v1', reads: false, ...one, bad: badReference },
  ];
  for (const each of abilities) testRefusals(() => world, each);
});
