import type { Lesson } from '../../relay/lessons/lesson.ts';
import { type SettingValue, settingNamed } from '../../state/settings.ts';
import { readSetting } from '../args/setting-values.ts';
import type { Session } from '../session.ts';

/** Stores what is certain, and returns the names. */
export async function saveLessons(
  lessons: readonly Lesson[],
  session: Session,
): Promise<readonly string[]> {
  const saved: string[] = [];
  const { settings } = await session.state();
  for (const { setting, value, confidence } of lessons) {
    const definition = settingNamed(setting);
    if (definition === undefined || value === undefined || confidence !== 'certain') continue;
    const { name } = definition;
    await settings.set(name, readSetting(definition, value) as SettingValue<typeof name>);
    saved.push(name);
  }
  return saved;
}
