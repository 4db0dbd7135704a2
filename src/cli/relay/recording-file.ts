import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CapturedExchange } from '../../relay/capture.ts';
import { RecordingWriter } from '../../relay/recording.ts';
import { checkWritable } from '../process/output-file.ts';
import type { Session } from '../session.ts';

/** A recording that grows by a line for each exchange. */
export class RecordingFile {
  readonly writer: RecordingWriter;
  readonly #file: FileHandle;

  private constructor(writer: RecordingWriter, file: FileHandle) {
    this.writer = writer;
    this.#file = file;
  }

  /** Throws `usage` for a file that can't be written; the file is readable by its owner alone. */
  static async open(path: string, session: Session): Promise<RecordingFile> {
    const { context, showsSecrets } = session;
    await checkWritable(path, '--record', session, 0o600);
    const writer = new RecordingWriter({
      version: context.version,
      startedAt: context.now(),
      salt: context.randomBytes(32),
      showSecrets: showsSecrets,
    });
    const file = await open(resolve(context.cwd, path), 'a', 0o600);
    const recording = new RecordingFile(writer, file);
    session.atEnd(() => file.close());
    await file.appendFile(writer.header);
    return recording;
  }

  async add(exchange: CapturedExchange): Promise<void> {
    await this.#file.appendFile(this.writer.line(exchange));
  }
}
