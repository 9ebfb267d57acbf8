// The clients that Knex brings are not part of its types.

declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';
  export default class extends Knex.Client {}
}

declare module 'knex/lib/dialects/mysql2/index.js' {
  import type { Knex } from 'knex';
  export default class extends Knex.Client {}
}
