import type { Knex } from 'knex';
import { readBinaryParts, writeBinaryParts } from '../../db/binary-parts.ts';
import { truncate } from '../../shared/text.ts';
import type { AttachedFile, AttachmentMetadata } from './mail.ts';

interface AttachmentRow {
  mail_id: number;
  position: number;
  name: string;
  content_type: string;
  size: number;
}

const LONGEST_NAME = 255;
const PARTS = 'mail_attachment_parts';

/**
 * Stores the files of mails. Each mail has its own copy of its files, so that the original can be changed or deleted.
 */
export class AttachmentRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(mailId: number, files: readonly AttachedFile[]): Promise<void> {
    for (const [position, { name, contentType, bytes }] of files.entries()) {
      const key = { mail_id: mailId, position };
      const row = { ...key, name: truncate(name, LONGEST_NAME), content_type: contentType, size: bytes.length };
      await this.#db('mail_attachments').insert(row);
      await writeBinaryParts(this.#db, { table: PARTS, key }, bytes);
    }
  }

  async ofMails(mailIds: readonly number[]): Promise<Map<number, AttachmentMetadata[]>> {
    const attachments = new Map<number, AttachmentMetadata[]>(mailIds.map((id) => [id, []]));
    if (mailIds.length === 0) return attachments;
    const rows = await this.#db<AttachmentRow>('mail_attachments')
      .whereIn('mail_id', [...mailIds])
      .orderBy(['mail_id', 'position'])
      .select('mail_id', 'name', 'content_type', 'size');
    for (const { mail_id: id, name, content_type: contentType, size } of rows)
      attachments.get(Number(id))?.push({ name, contentType, size });
    return attachments;
  }

  async files(mailId: number): Promise<AttachedFile[]> {
    const attachments = (await this.ofMails([mailId])).get(mailId) ?? [];
    const files: AttachedFile[] = [];
    for (const [position, { name, contentType }] of attachments.entries()) {
      const bytes = await readBinaryParts(this.#db, { table: PARTS, key: { mail_id: mailId, position } });
      files.push({ name, contentType, bytes });
    }
    return files;
  }
}
