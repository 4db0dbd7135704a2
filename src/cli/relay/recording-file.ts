import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AuthcliError } from '../../errors.ts';
import type { CapturedExchange } from '../../relay/capture.ts';
import { RecordingWriter } from '../../relay/recording.ts';
import { fileError } from '../../state/files.ts';
import { cannotWrite, checkWritable } from '../process/output-file.ts';
import type { Session } from '../session.ts';

/** A recording that grows by a line for each exchange. */
export class RecordingFile {
  readonly writer: RecordingWriter;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #session: Session;
  #isCutOff = false;

  private constructor(writer: RecordingWriter, path: string, file: FileHandle, session: Session) {
    this.writer = writer;
    this.#path = path;
    this.#file = file;
    this.#session = session;
  }

  /** Set once it could not be written: what came after that is missing. */
  get isCutOff(): boolean {
    return this.#isCutOff;
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
    session.atEnd(() => file.close());
    await file.appendFile(writer.header).catch((error: NodeJS.ErrnoException) => {
      throw cannotWrite(path, '--record', error);
    });
    return new RecordingFile(writer, path, file, session);
  }

  /** A full disk ends the recording, where its last line may be cut off, and not the relay. */
  async add(exchange: CapturedExchange): Promise<void> {
    if (this.#isCutOff) return;
    try {
      await this.#file.appendFile(this.writer.line(exchange));
    } catch (error) {
      const failure = fileError(error, 'write', this.#path);
      if (!(failure instanceof AuthcliError)) throw failure;
      this.#isCutOff = true;
      const where = `The recording ends before ${exchange.source}; the relay goes on.`;
      this.#session.warn(`--record: ${failure.message} ${where} ${failure.hint}`.trim());
    }
  }
}
