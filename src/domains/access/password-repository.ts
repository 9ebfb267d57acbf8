import type { Knex } from 'knex';

export interface NewHashedPassword {
  userId: number;
  label: string;
  hash: string;
  createdAt: number;
}

interface PasswordOwnerRow {
  id: number;
  user_id: number;
  label: string;
}

export interface PasswordOwnerAndLabel {
  id: number;
  userId: number;
  label: string;
}

const toPasswordOwnerAndLabel = (row: PasswordOwnerRow): PasswordOwnerAndLabel => ({
  id: row.id,
  userId: row.user_id,
  label: row.label,
});

export class PasswordRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async findByHash(hash: string): Promise<PasswordOwnerAndLabel | null> {
    const row = await this.#db<PasswordOwnerRow & { hash: string }>('application_passwords')
      .where({ hash })
      .first('id', 'user_id', 'label');
    return row ? toPasswordOwnerAndLabel(row) : null;
  }

  async find(id: number): Promise<{ id: number; label: string; lastUsedAt: number | null } | null> {
    const row = await this.#db('application_passwords')
      .where({ id })
      .first<{ id: number; label: string; last_used_at: number | null } | undefined>('id', 'label', 'last_used_at');
    return row ? { id: row.id, label: row.label, lastUsedAt: row.last_used_at } : null;
  }

  async insert({ userId, label, hash, createdAt }: NewHashedPassword): Promise<number> {
    const [id] = await this.#db('application_passwords').insert({
      user_id: userId,
      label,
      hash,
      created_at: createdAt,
      last_used_at: null,
    });
    return id as number;
  }

  async assign(id: number, userId: number, label: string): Promise<void> {
    await this.#db('application_passwords').where({ id }).update({ user_id: userId, label });
  }

  async deleteOfUser(userId: number): Promise<number> {
    return this.#db('application_passwords').where({ user_id: userId }).delete();
  }

  async deleteLabelled(label: string, except: string): Promise<number> {
    return this.#db('application_passwords').where({ label }).whereNot({ hash: except }).delete();
  }

  async stamp(id: number, at: number, unlessSince: number): Promise<void> {
    await this.#db('application_passwords')
      .where({ id })
      .where((older) => older.whereNull('last_used_at').orWhere('last_used_at', '<=', unlessSince))
      .update({ last_used_at: at });
  }
}
