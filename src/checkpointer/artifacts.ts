import { unmarked, withoutKey } from "../store/encryption.js";
import { ObjectsUnavailableError } from "../store/errors.js";
import type { Store } from "../store/home.js";
import { ArtifactTable } from "../store/sqlite/artifacts.js";
import type { HoldingRow } from "../store/sqlite/artifacts.js";
import { UploadTable } from "../store/sqlite/uploads.js";
import { artifactOf, hashIn, refOf } from "./artifact.js";
import type { Artifact, ArtifactInfo, ArtifactRef, ArtifactRequest, Authorize } from "./artifact.js";
import type { GetArtifactOptions, PutArtifactOptions } from "./artifact.js";
import { ArtifactContents, hashOf } from "./artifact-contents.js";
import type { Lacking } from "./artifact-contents.js";
import { dataOf, namesOf, readerOf } from "./artifact-input.js";
import type { ArtifactNames } from "./artifact-input.js";
import { identityOf, infoOf, readLabel, writeLabel } from "./artifact-labels.js";
import type { Label, Seal } from "./artifact-labels.js";
import { Leftovers } from "./artifact-leftovers.js";
import { ArtifactCorruptError, ArtifactDeniedError } from "./errors.js";
import { deletedThread } from "./head.js";

export interface ArtifactsOptions {
  readonly authorize?: Authorize;
}

/** Which thread holds which artifact, and who may read it. */
export class Artifacts {
  readonly table: ArtifactTable;
  readonly contents: ArtifactContents;
  readonly leftovers: Leftovers;
  readonly seal: Seal;
  private readonly authorize: Authorize | undefined;

  /** @param isDeleted whether a thread was deleted and has not begun anew */
  constructor(
    private readonly store: Store,
    options: ArtifactsOptions,
    private readonly isDeleted: (threadId: string) => boolean,
  ) {
    const { database, tenant, encryption, objects } = store;
    const uploads = new UploadTable(database, tenant);
    this.seal = { tenant, encryption };
    this.table = new ArtifactTable(database, tenant);
    this.contents = new ArtifactContents(store, this.table, uploads, this.seal, objects);
    this.leftovers = new Leftovers(store, uploads, objects);
    this.authorize = options.authorize;
  }

  async put(data: unknown, options: PutArtifactOptions): Promise<ArtifactRef> {
    const names = namesOf(options);
    const content = dataOf(data);
    const name = { hash: hashOf(content.bytes), bytes: content.bytes.length };
    this.refuseDeleted(names.threadId);
    this.probe(names.threadId);
    await this.contents.keep(name, content.bytes, (identity) => {
      this.refuseDeleted(names.threadId);
      this.hold(identity, names, { ...name, mediaType: content.mediaType });
    });
    return refOf(name.hash);
  }

  async get(ref: unknown, options: GetArtifactOptions): Promise<Artifact> {
    const hash = hashIn(ref);
    const { threadId, context } = readerOf(options);
    const { label, info } = this.held(hash, threadId);
    await this.ask({ ...info, threadId, tenant: this.store.tenant, context });
    const found = await this.contents.read(label);
    if (typeof found !== "string") return artifactOf(info, new Uint8Array(found.data));
    this.held(hash, threadId); // let go of meanwhile: denied, and not damaged
    throw lacking(found, info.ref, threadId);
  }

  /** What a thread holds, oldest first. @throws ArtifactCorruptError, DecryptionError */
  list(threadId: string): ArtifactInfo[] {
    return this.table.holdings(threadId).map((row) => infoOf(readLabel(row, this.seal), row));
  }

  /** Called in the transaction that deletes the thread. */
  release(threadId: string): void {
    this.table.release(threadId, this.store.clock.now());
  }

  /** Called in the transaction that copies the thread. What the copy holds already stays as it is called there. */
  copy(from: string, to: string): void {
    for (const row of this.table.holdings(from)) {
      const label = readLabel(row, this.seal);
      const identity = identityOf(label.hash, this.seal);
      if (this.table.holding(to, identity) !== undefined) continue;
      this.table.hold(to, identity, writeLabel(label, to, identity, this.seal), row.createdAt);
    }
  }

  private refuseDeleted(threadId: string): void {
    if (this.isDeleted(threadId)) throw deletedThread(threadId, "", undefined);
  }

  private hold(identity: Buffer, { threadId, name, mediaType }: ArtifactNames, content: Label): void {
    const before = this.labelOf(this.table.holding(threadId, identity));
    const called = name ?? before?.name;
    const label: Label = {
      hash: content.hash,
      bytes: content.bytes,
      mediaType: mediaType ?? before?.mediaType ?? content.mediaType,
      ...(called === undefined ? {} : { name: called }),
    };
    this.table.hold(threadId, identity, writeLabel(label, threadId, identity, this.seal), this.store.clock.now());
  }

  /** To put an artifact again mends a damaged label. */
  private labelOf(row: HoldingRow | undefined): Label | undefined {
    try {
      return row && readLabel(row, this.seal);
    } catch (error) {
      if (error instanceof ArtifactCorruptError) return undefined;
      throw error;
    }
  }

  private held(hash: string, threadId: string): { label: Label; info: ArtifactInfo } {
    const ref = refOf(hash);
    const row = this.table.holding(threadId, identityOf(hash, this.seal));
    if (row === undefined) {
      this.probe(threadId);
      throw denied(ref, threadId);
    }
    const label = readLabel(row, this.seal, ref);
    return { label, info: infoOf(label, row) };
  }

  /**
   * Under another key a content has another identity, so that nothing is found. Then one label says that it is the key.
   *
   * @throws DecryptionError
   */
  private probe(threadId: string): void {
    const row = this.table.someHolding(threadId);
    try {
      if (row !== undefined) readLabel(row, this.seal);
    } catch (error) {
      // A damaged label says nothing about the key, and may be that of another artifact.
      if (!(error instanceof ArtifactCorruptError)) throw error;
    }
  }

  private async ask(request: ArtifactRequest): Promise<void> {
    if (this.authorize === undefined) return;
    let answer: unknown;
    try {
      answer = await this.authorize(request);
    } catch (cause) {
      throw denied(request.ref, request.threadId, cause);
    }
    if (answer !== true) throw denied(request.ref, request.threadId);
  }
}

/** The same for whatever was the reason, so that nobody learns what there is. The cause is for who runs the program. */
function denied(ref: ArtifactRef, threadId: string, cause?: unknown): ArtifactDeniedError {
  return new ArtifactDeniedError(
    `Thread "${threadId}" may not read ${ref}: it does not hold this artifact, or the saver's authorize refused. ` +
      `Nothing was read.`,
    { cause, details: { threadId, ref } },
  );
}

function lacking(what: Lacking, ref: ArtifactRef, threadId: string): Error {
  switch (what) {
    case "missing":
    case "corrupt":
      return new ArtifactCorruptError(
        `The content of ${ref}, which thread "${threadId}" holds, is ` +
          `${what === "missing" ? "missing" : "damaged: it does not match its hash"}. Nothing is handed out in its place. ` +
          `Put the same content again, or restore database and object store from a backup.`,
        { details: { ref, threadId, what } },
      );
    case "elsewhere":
      return new ObjectsUnavailableError(
        `The content of ${ref} lies outside the database, and this saver was opened without the option objects. ` +
          `Give it the place that was used when the artifact was put.`,
        { details: { ref, threadId } },
      );
    case "sealed":
      return withoutKey(ref);
    case "unmarked":
      return unmarked(ref);
  }
}
