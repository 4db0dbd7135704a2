import type { CapturedExchange } from '../../relay/capture.ts';
import { Learner } from '../../relay/learn.ts';
import type { Lesson } from '../../relay/lessons/lesson.ts';
import type { LearnedSetting } from '../../watch/view/wire.ts';

/** What traffic has taught so far, and what is new in it. */
export class Learning {
  readonly #learner = new Learner();
  readonly #known = new Map<string, string>();
  #lessons: readonly Lesson[] = [];

  /** The lessons that are new or different with this exchange. */
  observe(exchange: CapturedExchange): readonly Lesson[] {
    this.#learner.observe(exchange);
    this.#lessons = this.#learner
      .read()
      .filter(({ value, confidence }) => value !== undefined && confidence !== 'unknown');
    return this.#lessons.filter(({ setting, value, confidence }) => {
      const state = `${confidence} ${value}`;
      const isNew = this.#known.get(setting) !== state;
      this.#known.set(setting, state);
      return isNew;
    });
  }

  /** Everything that is known with a value. */
  get lessons(): readonly Lesson[] {
    return this.#lessons;
  }

  /** The same for the page. */
  get shown(): readonly LearnedSetting[] {
    return this.#lessons.map(({ setting, value = '', confidence, evidence }) => ({
      ...{ setting, value, confidence, evidence },
    }));
  }
}
