import {
  type ChildLink,
  type Content,
  type ContentCalls,
  type ContentLock,
  EDIT_LOCK_SECONDS,
  type UserCalls,
} from '../../connector/child-site.ts';
import { DAY, SECOND, type Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';

/** No clock of a site is wrong by more. */
const SURELY_OLD_MS = DAY;

/**
 * Keeps our calls out of the way of people who edit in WordPress. To read a post takes the lock of its editor away,
 * without a word; so it is put back as it was after each reading, and is ours only as long as an edit takes.
 */
export class EditLock {
  readonly #child: ContentCalls & UserCalls;
  readonly #clock: Clock;

  constructor(child: ContentCalls & UserCalls, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
  }

  /** Reads a post and leaves its lock as it was. */
  async read(link: ChildLink, id: number): Promise<Content | null> {
    const content = await this.#child.readContent(link, id);
    if (content) await this.putBack(link, content);
    return content;
  }

  /**
   * Reads a post for an edit and holds its lock until `putBack`. Throws `svc_post_locked` when somebody edits it: as a
   * rule before anything was touched. Somebody who works as the connected administrator, or who came in this very
   * moment, shows only in what was read, and gets the lock back.
   */
  async take(link: ChildLink, id: number): Promise<Content | null> {
    await this.#child.refuseEdited(link, id);
    const content = await this.#child.readContent(link, id);
    if (!content?.lock || this.#clock.now() - content.lock.at * SECOND > SURELY_OLD_MS) return content;
    // What is read now is our own lock, and with it the clock of the site.
    const again = await this.#child.readContent(link, id);
    const age = again?.lock ? again.lock.at - content.lock.at : 0;
    if (!again || age >= EDIT_LOCK_SECONDS) return again && { ...again, lock: content.lock };
    await this.putBack(link, content);
    throw await this.#locked(link, content.lock, age);
  }

  /** What fails here mends itself: a lock runs out. */
  async putBack(link: ChildLink, { id, lock }: Content): Promise<void> {
    await this.#child.markContent(link, id, lock).catch(() => false);
  }

  /** Who seems to edit it, by our own clock; null for nobody. */
  held({ lock }: Content): ContentLock | null {
    return lock && this.#clock.now() - lock.at * SECOND < EDIT_LOCK_SECONDS * SECOND ? lock : null;
  }

  async #locked(link: ChildLink, { userId }: ContentLock, age: number): Promise<ConflictError> {
    const editor = await this.#child.userProfile(link, userId).catch(() => null);
    return new ConflictError('svc_post_locked', 'Somebody is editing this on the site; try again later.', {
      editor_id: userId,
      ...(editor && { editor_name: editor.displayName }),
      lock_age_seconds: Math.max(0, age),
      retry_after_seconds: EDIT_LOCK_SECONDS - Math.max(0, age),
    });
  }
}
