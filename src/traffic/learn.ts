import type { CapturedExchange } from './capture.ts';
import { ExpiryLesson } from './lessons/expiry.ts';
import type { Lesson, Lessons } from './lessons/lesson.ts';
import { PayloadLessons } from './lessons/payloads.ts';
import { RetryLesson, WireLessons } from './lessons/wire.ts';

/** Everything that traffic shows about what the interface leaves open, in constant memory. */
export class Learner implements Lessons {
  readonly #lessons: readonly Lessons[] = [
    new PayloadLessons(),
    new ExpiryLesson(),
    new RetryLesson(),
    new WireLessons(),
  ];

  observe(exchange: CapturedExchange): void {
    for (const lesson of this.#lessons) lesson.observe(exchange);
  }

  /** What is known so far, the settings first; identifying a cipher takes up to a second. */
  read(): readonly Lesson[] {
    return this.#lessons.flatMap((lesson) => lesson.read());
  }
}
