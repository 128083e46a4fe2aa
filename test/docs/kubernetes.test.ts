// The manifests in `deploy/kubernetes`. Without a cluster, validators that are generated from the Kubernetes API read
// them, and kustomize builds them if kubectl is installed. Their effect in a cluster is not tested.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as statefulSet } from 'kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { deployed, deployFolder, unknownFlags } from './deployed-files.js';

interface Labels {
  readonly matchLabels?: object;
}

/** The parts of a Kubernetes object that these tests read. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly selector?: Labels; readonly podSelector?: Labels; readonly template?: PodTemplate };
}

interface PodTemplate {
  readonly metadata: { readonly labels: object };
  readonly spec: {
    readonly securityContext: { readonly runAsNonRoot: boolean };
    readonly containers: readonly {
      readonly name: string;
      readonly args?: readonly string[];
      readonly securityContext: object;
      readonly resources: { readonly limits: object };
    }[];
  };
}

/** Validators of the kinds in use, generated from the OpenAPI document of Kubernetes. */
const VALIDATORS: Readonly<Record<string, typeof service>> = {
  'v1 Service': service,
  'apps/v1 Deployment': deployment,
  'apps/v1 StatefulSet': statefulSet,
  'policy/v1 PodDisruptionBudget': disruptionBudget,
  'networking.k8s.io/v1 NetworkPolicy': networkPolicy,
};

/** The faults of a Kubernetes object: wrong types, missing parts, keys that the API does not know. */
function faultsOf(object: Manifest): string[] {
  const validate = VALIDATORS[`${object.apiVersion} ${object.kind}`];
  if (validate === undefined) return [`no validator of ${object.apiVersion} ${object.kind}`];
  const unread = new Set<string>();
  const isValid = validate(watched(object, '', unread));
  const { errors } = validate as { readonly errors?: readonly { instancePath: string; message?: string }[] };
  const errorTexts = isValid ? [] : (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return [...errorTexts, ...[...unread].map((path) => `${path} is unknown`)];
}

/**
 * The same object. It removes the paths of keys that were read from `unread`: the validators read every key that they
 * know.
 */
function watched(value: unknown, path: string, unread: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((one, at) => watched(one, `${path}/${at}`, unread));
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).filter(([, one]) => one !== undefined);
  for (const [key] of known) unread.add(`${path}/${key}`);
  const inside = Object.fromEntries(known.map(([key, one]) => [key, watched(one, `${path}/${key}`, unread)]));
  return new Proxy(inside, {
    get(from, key) {
      unread.delete(`${path}/${String(key)}`);
      return Reflect.get(from, key);
    },
  });
}

describe('the manifests for Kubernetes', () => {
  const objects = ['redis', 'crawlers', 'monitoring'].flatMap((name) =>
    parseAllDocuments(deployed(`kubernetes/${name}.yaml`)).map((document) => document.toJS() as Manifest),
  );
  const podsOf = objects.flatMap(({ spec: { template } }) => (template === undefined ? [] : [template]));

  it('are valid for the Kubernetes API, without unknown keys', () => {
    for (const object of objects) expect(faultsOf(object), object.metadata.name).toEqual([]);
  });

  it.each<[string, object, number]>([
    ['nothing', {}, 0],
    ['a wrong type', { replicas: '3' }, 1],
    ['a missing part', { selector: undefined }, 1],
    ['an unknown key', { replica: 3 }, 1],
  ])('are rejected with %s', (_what, fault, count) => {
    const set = objects.find(({ kind }) => kind === 'StatefulSet') as Manifest;
    expect(faultsOf({ ...set, spec: { ...set.spec, ...fault } })).toHaveLength(count);
  });

  it('do not run as root, and refer to existing objects', () => {
    const labels = podsOf.map(({ metadata }) => JSON.stringify(metadata.labels));
    for (const { kind, spec } of objects) {
      const chosen = kind === 'Service' ? spec.selector : (spec.selector?.matchLabels ?? spec.podSelector?.matchLabels);
      expect(labels).toContain(JSON.stringify(chosen));
    }
    for (const { spec } of podsOf) {
      expect(spec.securityContext.runAsNonRoot).toBe(true);
      for (const { securityContext, resources } of spec.containers) {
        expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
        expect(resources.limits).toHaveProperty('memory');
      }
    }
    const { configMapGenerator, resources } = parse(deployed('kustomization.yaml'));
    const files = [...resources, ...configMapGenerator.flatMap(({ files }: { files: string[] }) => files)];
    expect(files.filter((path: string) => !existsSync(join(deployFolder, path)))).toEqual([]);
  });

  it('start Redis as the compose file does, and the command with existing flags', () => {
    const argsOf = (name: string) =>
      podsOf.flatMap(({ spec }) => spec.containers).find((one) => one.name === name)?.args;
    const { services } = parse(deployed('compose.yaml'), { merge: true });
    expect(argsOf('redis')).toEqual(services.redis.command);
    expect(unknownFlags(argsOf('crawler') ?? [])).toEqual([]);
  });

  const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

  it.skipIf(!hasKubectl)(`kustomize builds them${hasKubectl ? '' : ' (not run: no kubectl)'}`, () => {
    const built = execFileSync('kubectl', ['kustomize', deployFolder], { encoding: 'utf8' });
    expect(parseAllDocuments(built)).toHaveLength(objects.length + 2);
  });
});
