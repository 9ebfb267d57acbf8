import type { Container } from '../service/container.ts';
import { HOUR, MINUTE, toDate } from '../shared/clock.ts';
import { ALL_SITES } from '../shared/site-scope.ts';

export async function demoTimeTracker({ services }: Container, user: string, clients: [number, number]): Promise<void> {
  const { tasks, timers, buckets } = services.timeTracker;
  const { access } = services.access;
  const [bakery, museum] = clients;
  const users = await access.listUsers();
  const me = { userId: users.find(({ name }) => name === user)?.id ?? 0, name: user };
  const colleague = await access.createUser({ name: 'ada', role: 'administrator' }, 'demo');
  const ada = { userId: colleague.id, name: colleague.name };
  const now = Date.now();
  const prices = { currency: 'EUR', default_hourly_price: 90, rounding_enabled: 1, rounding_minutes: 5 } as const;
  await services.settings.settings.edit('time-tracker', prices, me.name);
  const carePlan = await buckets.create(
    ALL_SITES,
    {
      title: 'Care plan',
      description: 'Ten hours a month; what is left is carried over.',
      hours: 10,
      price: 85,
      currency: 'EUR',
      recurrence: 'monthly',
      carryOver: true,
      periodStart: `${toDate(now).slice(0, 7)}-01`,
      clients: [bakery],
    },
    me.name,
  );
  const done = async (title: string, hours: number, clientId: number, fields: object = {}): Promise<void> => {
    const { id } = await tasks.create(ALL_SITES, { title, clientId, ...fields }, me);
    await timers.start(ALL_SITES, id, me, { switching: true });
    await timers.pause(ALL_SITES, id, me);
    await tasks.update(ALL_SITES, id, { elapsedSeconds: (hours * HOUR) / 1000 }, me);
    await timers.stop(ALL_SITES, id, me);
  };
  await done('Move the shop to a new theme', 3.5, bakery, { bucketId: carePlan.id });
  await done('Monthly updates', 1.5, bakery, { bucketId: carePlan.id });
  await done('Restore a page that was deleted', 0.75, museum, { hourlyPrice: 95 });
  await done('Advice by telephone', 0.5, museum, { billable: false });

  const waiting = await tasks.create(ALL_SITES, { title: 'Faster opening hours page', clientId: museum }, me);
  await timers.start(ALL_SITES, waiting.id, me, { switching: true });
  await timers.pause(ALL_SITES, waiting.id, me);
  await tasks.update(ALL_SITES, waiting.id, { elapsedSeconds: (25 * MINUTE) / 1000 }, me);

  const theirs = await tasks.create(ALL_SITES, { title: 'New ticket form', clientId: museum }, ada);
  await timers.start(ALL_SITES, theirs.id, ada, { switching: false });
  const mine = await tasks.create(
    ALL_SITES,
    { title: 'Fix the order form', clientId: bakery, timerMode: 'count_down', bucketId: carePlan.id },
    me,
  );
  await timers.start(ALL_SITES, mine.id, me, { switching: true });
}
