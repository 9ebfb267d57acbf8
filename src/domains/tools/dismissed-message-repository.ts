import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';

export interface DismissedMessage {
  messageId: string;
  dismissedAt: number;
}

interface MessageRow {
  user_id: number;
  message_id: string;
  dismissed_at: number;
}

const toMessage = (row: Pick<MessageRow, 'message_id' | 'dismissed_at'>): DismissedMessage => ({
  messageId: row.message_id,
  dismissedAt: row.dismissed_at,
});

export class DismissedMessageRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  page(userId: number, request: PageRequest): Promise<Page<DismissedMessage>> {
    const chosen = (): Knex.QueryBuilder => this.#db('dismissed_messages').where({ user_id: userId });
    const orderBy = [{ column: 'dismissed_at', order: 'desc' as const }, 'message_id'];
    const toItems = (rows: MessageRow[]): DismissedMessage[] => rows.map(toMessage);
    return readCountedPage({ chosen, orderBy, columns: ['message_id', 'dismissed_at'], toItems }, request);
  }

  async find(userId: number, messageId: string): Promise<DismissedMessage | null> {
    const row = await this.#db<MessageRow>('dismissed_messages')
      .where({ user_id: userId, message_id: messageId })
      .first('message_id', 'dismissed_at');
    return row ? toMessage(row) : null;
  }

  async add(userId: number, { messageId, dismissedAt }: DismissedMessage): Promise<void> {
    const row = { user_id: userId, message_id: messageId, dismissed_at: dismissedAt };
    await this.#db('dismissed_messages').insert(row).onConflict(['user_id', 'message_id']).ignore();
  }

  async clear(userId: number): Promise<number> {
    return this.#db('dismissed_messages').where({ user_id: userId }).delete();
  }
}
