import { createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../src/shared/errors.js";
import { aes256gcm } from "../../src/store/encryption.js";
import { DecryptionError } from "../../src/store/errors.js";

const KEY = Buffer.from("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "hex");
const encryption = aes256gcm(KEY);

const bytes = fc.uint8Array({ maxLength: 400 });
/** Any string of JavaScript, also one that is no text. */
const context = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 30 });

function reasonOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error instanceof DecryptionError ? error.details.reason : error;
  }
  return "no error";
}

describe("aes256gcm", () => {
  it("opens what it has sealed, whatever the content and the context", () => {
    fc.assert(
      fc.property(bytes, context, (content, where) => {
        const sealed = encryption.seal(content, where);
        expect(Buffer.from(encryption.open(sealed, where)).equals(Buffer.from(content))).toBe(true);
        expect(sealed.length).toBe(content.length + 33);
      }),
    );
  });

  it("refuses a sealed value of which any one bit was changed", () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.nat(7), (content, at, bit) => {
        const sealed = Buffer.from(encryption.seal(content, "here"));
        const index = at % sealed.length;
        sealed.writeUInt8(sealed.readUInt8(index) ^ (1 << bit), index);
        expect(reasonOf(() => encryption.open(sealed, "here"))).toBe(
          index === 0 ? "unmarked" : index < 5 ? "key" : "changed",
        );
      }),
    );
  });

  it("refuses a sealed value that was cut short or lengthened, at every length", () => {
    const sealed = Buffer.from(encryption.seal(Buffer.from("a secret"), "here"));
    for (let length = 1; length < sealed.length; length += 1) {
      expect(reasonOf(() => encryption.open(sealed.subarray(0, length), "here"))).toMatch(/^(changed|key)$/);
    }
    expect(reasonOf(() => encryption.open(Buffer.concat([sealed, Buffer.of(0)]), "here"))).toBe("changed");
  });

  it("refuses a sealed value in another context: contexts differ whenever their strings do", () => {
    fc.assert(
      fc.property(context, context, (one, other) => {
        fc.pre(one !== other);
        expect(reasonOf(() => encryption.open(encryption.seal(Buffer.from("x"), one), other))).toBe("changed");
      }),
    );
    // Two halves of different characters, which are the same bytes in UTF-8.
    expect(reasonOf(() => encryption.open(encryption.seal(Buffer.from("x"), "\ud800"), "\udfff"))).toBe("changed");
  });

  it("refuses every value that it has not sealed: text, nothing, and bytes that begin like a sealed value", () => {
    for (const plain of ["", "plain text", '{"a":1}', "ütf-8", "\u{10ffff}"]) {
      expect(reasonOf(() => encryption.open(Buffer.from(plain), "here"))).toBe("unmarked");
    }
    fc.assert(
      fc.property(bytes, (content) => {
        expect(reasonOf(() => encryption.open(content, "here"))).toMatch(/^(unmarked|key|changed)$/);
        expect(reasonOf(() => encryption.open(Buffer.concat([Buffer.of(0xf8), content]), "here"))).toMatch(
          /^(key|changed)$/,
        );
      }),
    );
  });

  it("says that the key is another one, and gives nothing out", () => {
    fc.assert(
      fc.property(bytes, (content) => {
        const other = aes256gcm(randomBytes(32));
        expect(reasonOf(() => other.open(encryption.seal(content, "here"), "here"))).toBe("key");
      }),
    );
  });

  it("seals the same value differently every time, and knows it by one fingerprint", () => {
    const sealed = new Set(
      Array.from({ length: 1000 }, () => Buffer.from(encryption.seal(KEY, "here")).toString("hex")),
    );
    const nonces = new Set([...sealed].map((hex) => hex.slice(10, 34)));
    expect([sealed.size, nonces.size]).toEqual([1000, 1000]);
    expect(encryption.fingerprint(KEY).equals(aes256gcm(KEY).fingerprint(KEY))).toBe(true);
    expect(encryption.fingerprint(KEY).equals(aes256gcm(randomBytes(32)).fingerprint(KEY))).toBe(false);
  });

  it("is AES-256-GCM and HMAC-SHA-256 under keys of HKDF-SHA-256, as node:crypto computes them", () => {
    const derive = (part: string, length: number): Buffer =>
      Buffer.from(hkdfSync("sha256", KEY, "", `langgraph-waypoint/aes-256-gcm/1 ${part}`, length));
    const sealed = Buffer.from(encryption.seal(Buffer.from("known answer"), "channel/messages"));
    expect(sealed.subarray(0, 5)).toEqual(Buffer.concat([Buffer.of(0xf8), derive("key id", 4)]));

    const decipher = createDecipheriv("aes-256-gcm", derive("seal", 32), sealed.subarray(5, 17));
    decipher.setAAD(Buffer.concat([sealed.subarray(0, 5), Buffer.from("channel/messages", "utf16le")]));
    decipher.setAuthTag(sealed.subarray(-16));
    const opened = Buffer.concat([decipher.update(sealed.subarray(17, -16)), decipher.final()]);
    expect(opened.toString()).toBe("known answer");

    const fingerprint = createHmac("sha256", derive("fingerprint", 32)).update("known answer").digest();
    expect(encryption.fingerprint(Buffer.from("known answer")).equals(fingerprint)).toBe(true);
  });

  it("opens what an earlier version has sealed, and makes the same fingerprints as that", () => {
    const sealed = Buffer.from(
      "f899afe57e5336aa1fc48d3890637466dce12e351035d90912f8704082d6694b1cdd8e50860151a683b1ec7f8f",
      "hex",
    );
    expect(Buffer.from(encryption.open(sealed, "channel/messages")).toString()).toBe("known answer");
    expect(encryption.fingerprint(Buffer.from("known answer")).toString("hex")).toBe(
      "87e5696e4450745bcd09d7414413a93a5bf4934e1bb70db900a8bba36e5a8f9a",
    );
  });

  it("copies its key, so that the caller may wipe it", () => {
    const key = Buffer.from(KEY);
    const wiped = aes256gcm(key);
    key.fill(0);
    expect(Buffer.from(wiped.open(encryption.seal(Buffer.from("x"), "here"), "here")).toString()).toBe("x");
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a passphrase", "correct horse battery staple 1234"],
    ["31 bytes", new Uint8Array(31)],
    ["33 bytes", new Uint8Array(33)],
    ["a hex text in bytes", Buffer.from(KEY.toString("hex"))],
    ["other numbers", new Uint32Array(32)],
    ["a list", Array.from(KEY)],
  ])("refuses %s for a key", (_what, key) => {
    expect(() => aes256gcm(key as Uint8Array)).toThrow(InvalidInputError);
    expect(() => aes256gcm(key as Uint8Array)).toThrow(/exactly 32 bytes/);
  });

  it("shows its key to nobody who looks at it", () => {
    expect(Object.values(encryption).every((part) => typeof part === "function")).toBe(true);
  });
});
