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

/** Age after which a lock has certainly expired. The clock of a site is assumed to be wrong by a day at most. */
const SURELY_OLD_MS = DAY;

/**
 * Avoids conflicts with people who edit in WordPress. Reading a post through the child plugin takes the lock away from
 * its editor without notice. So the lock is restored after each read, and we hold it only during an edit.
 */
export class EditLock {
  readonly #child: ContentCalls & UserCalls;
  readonly #clock: Clock;

  constructor(child: ContentCalls & UserCalls, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
  }

  async read(link: ChildLink, id: number): Promise<Content | null> {
    const content = await this.#child.readContent(link, id);
    if (content) await this.release(link, content);
    return content;
  }

  /**
   * Reads a post for an edit and holds its lock until `release`. Throws `svc_post_locked` if somebody is editing the
   * post. An editor who has just started, or who is logged in as the administrator that the site is connected with, is
   * only found by reading the post. That takes the lock, so this editor gets it back.
   */
  async acquire(link: ChildLink, id: number): Promise<Content | null> {
    await this.#child.checkEditLock(link, id);
    const content = await this.#child.readContent(link, id);
    if (!content?.lock || this.#clock.now() - content.lock.at * SECOND > SURELY_OLD_MS) return content;
    // The second read returns our own lock, and thus the current time of the site's clock.
    const again = await this.#child.readContent(link, id);
    const age = again?.lock ? again.lock.at - content.lock.at : 0;
    if (!again || age >= EDIT_LOCK_SECONDS) return again && { ...again, lock: content.lock };
    await this.release(link, content);
    throw await this.#locked(link, content.lock, age);
  }

  /** Gives the lock back to its previous owner. Errors are ignored, because a lock expires by itself. */
  async release(link: ChildLink, { id, lock }: Content): Promise<void> {
    await this.#child.setEditLock(link, id, lock).catch(() => false);
  }

  activeLock({ lock }: Content): ContentLock | null {
    return lock && this.#clock.now() - lock.at * SECOND < EDIT_LOCK_SECONDS * SECOND ? lock : null;
  }

  async #locked(link: ChildLink, { userId }: ContentLock, age: number): Promise<ConflictError> {
    const editor = await this.#child.userProfile(link, userId).catch(() => null);
    return new ConflictError('svc_post_locked', 'Another user is editing this on the site. Try again later.', {
      editor_id: userId,
      ...(editor && { editor_name: editor.displayName }),
      lock_age_seconds: Math.max(0, age),
      retry_after_seconds: EDIT_LOCK_SECONDS - Math.max(0, age),
    });
  }
}
