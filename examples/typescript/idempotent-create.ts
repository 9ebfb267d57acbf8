/**
 * Every change carries an idempotency key, so that the SDK may send it again when the connection is lost. A key of your
 * own, such as the number of an order, holds across restarts of your program as well.
 */
import { createClient } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });

const call = { body: { name: 'Harbour Bakery', client_email: 'harbour@example.com' } };
const idempotencyKey = 'order-2026-1107';
const first = await fleet.answer('clients_add', call, { idempotencyKey });
const again = await fleet.answer('clients_add', call, { idempotencyKey });
console.log(`client ${first.data.data.id}, and again ${again.data.data.id}`);
console.log(`replayed: ${first.isReplayed}, then ${again.isReplayed}`);

// The ETag of what was read refuses an edit when somebody else was faster.
const path = { id_or_email: first.data.data.id };
const { etag } = await fleet.answer('clients_get', { path });
await fleet.route('clients_edit', { path, body: { city: 'Porto' } }, { ifMatch: etag! });
const late = fleet.route('clients_edit', { path, body: { city: 'Lyon' } }, { ifMatch: etag! });
await late.catch((error: Error) => console.log(error.message));
