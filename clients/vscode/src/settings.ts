// What is sent to the server of the user's settings.

/** An entry of the manifest's `contributes.configuration`. */
export interface Property {
  scope?: string;
}

/** The part of `WorkspaceConfiguration` that is used. */
export interface Configuration {
  get(name: string): unknown;
  inspect(name: string): Inspected | undefined;
}

export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

export const SECTION = "bowerbird";
const OWN = ["server."]; // the client's own, which the server does not know

/** The part of package.json that is used. */
export interface Manifest {
  contributes: { configuration: { properties: Record<string, Property> }[] };
}

/** The manifest's settings without their prefix. */
export function propertiesOf(manifest: Manifest): Map<string, Property> {
  const sections = manifest.contributes.configuration.map((section) => Object.entries(section.properties));
  return new Map(sections.flat().map(([name, property]) => [name.slice(SECTION.length + 1), property]));
}

/**
 * The user's value of a setting; undefined where they have set none.
 *
 * Settings of the machine name programs, models and addresses. The editor already ignores them in files of a
 * workspace; they are not even looked at there.
 */
export function chosen(configuration: Configuration, name: string, property: Property): unknown {
  const said = configuration.inspect(name);
  if (property.scope === "machine") {
    return said?.globalValue;
  }
  const isSet = [said?.globalValue, said?.workspaceValue, said?.workspaceFolderValue].some(
    (value) => value !== undefined,
  );
  return isSet ? configuration.get(name) : undefined; // `get` leaves out what an untrusted workspace may not say
}

/** All that the user has set, nested: `{completion: {iterations: 1}}`. Defaults are the server's affair. */
export function settingsForServer(
  configuration: Configuration,
  properties: ReadonlyMap<string, Property>,
): Record<string, unknown> {
  const told: Record<string, unknown> = {};
  for (const [name, property] of properties) {
    const value = OWN.some((prefix) => name.startsWith(prefix))
      ? undefined
      : chosen(configuration, name, property);
    if (value !== undefined) {
      put(told, name.split("."), value);
    }
  }
  return told;
}

function put(into: Record<string, unknown>, [head, ...rest]: string[], value: unknown): void {
  if (head === undefined) {
    return;
  }
  if (rest.length === 0) {
    into[head] = value;
    return;
  }
  const inner = (into[head] ??= {}) as Record<string, unknown>;
  put(inner, rest, value);
}
