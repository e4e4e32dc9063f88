"""deploy/kubernetes against Kubernetes' own schemas and against the code: no cluster is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.urls import resolve

from annotation.selectors.platform.broker import queue_names
from tests.operations.settings_read import names_read, secrets_read

FOLDER = Path(settings.BASE_DIR) / "deploy" / "kubernetes"
# The oldest that is maintained when this was written, and the newest that the validator knows.
VERSIONS = ("1.33", "1.36")
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((FOLDER / "kustomization.yaml").read_text("utf-8"))


def objects() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.name != "kustomization.yaml":
            for manifest in yaml.safe_load_all(path.read_text("utf-8")):
                yield f"{path.name}: {manifest['kind']} {manifest['metadata']['name']}", manifest


OBJECTS = dict(objects())
PODS = {
    name: manifest["spec"]["template"]["spec"]
    for name, manifest in OBJECTS.items()
    if "template" in manifest.get("spec", {})
}
CONTAINERS = {name: pod["containers"][0] for name, pod in PODS.items()}


def named(kind: str, name: str) -> dict[str, Any]:
    (manifest,) = [
        manifest
        for manifest in OBJECTS.values()
        if manifest["kind"] == kind and manifest["metadata"]["name"] == name
    ]
    return manifest


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", OBJECTS)
def test_it_is_what_kubernetes_takes(name: str, version: str) -> None:
    import kubernetes_validate

    kubernetes_validate.validate(OBJECTS[name], version, strict=True)


def test_a_wrong_one_is_found() -> None:
    import kubernetes_validate

    wrong = named("Deployment", "web") | {"spec": {"replicas": "two"}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


def test_all_files_but_the_example_are_applied() -> None:
    there = {path.name for path in FOLDER.glob("*.yaml")}
    assert set(KUSTOMIZATION["resources"]) == there - {"kustomization.yaml", "secrets.example.yaml"}


def test_every_setting_is_one_and_every_secret_a_file_of_the_secret() -> None:
    given = named("ConfigMap", "bareme")["data"]
    assert set(given) <= names_read()
    assert not set(given) & secrets_read() - {"BAREME_PUBLIC_URL", "BAREME_STORAGE_ENDPOINT"}
    files = set(named("Secret", "bareme")["stringData"])
    for container in CONTAINERS.values():
        for variable in container["env"]:
            assert variable["name"].removesuffix("_FILE") in secrets_read()
            folder, _, file = variable["value"].rpartition("/")
            assert (folder, file in files) == ("/run/secrets/bareme", True)


def test_every_queue_has_its_worker() -> None:
    queues = {
        container["command"][container["command"].index("--queues") + 1]
        for container in CONTAINERS.values()
        if "--queues" in container.get("command", [])
    }
    assert queues == set(queue_names())


@pytest.mark.parametrize("name", PODS)
def test_nothing_runs_with_privileges_or_writes_to_its_image(name: str) -> None:
    assert PODS[name]["securityContext"]["runAsNonRoot"] is True
    assert PODS[name]["automountServiceAccountToken"] is False
    given = CONTAINERS[name]["securityContext"]
    assert (given["readOnlyRootFilesystem"], given["allowPrivilegeEscalation"]) == (True, False)
    assert given["capabilities"] == {"drop": ["ALL"]}
    assert CONTAINERS[name]["image"] == "bareme"
    assert "memory" in CONTAINERS[name]["resources"]["limits"]


def test_no_pod_needs_a_folder_that_others_have() -> None:
    for pod in PODS.values():
        assert {key for volume in pod["volumes"] for key in volume} <= {
            "name",
            "secret",
            "emptyDir",
        }
    assert named("ConfigMap", "bareme")["data"]["BAREME_STORAGE"] == "s3"


def test_one_is_ready_before_another_goes() -> None:
    web = named("Deployment", "web")["spec"]
    assert web["replicas"] >= 2
    assert web["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    container = CONTAINERS["web.yaml: Deployment web"]
    assert resolve(container["readinessProbe"]["httpGet"]["path"]).url_name == "servez"
    hosts = named("ConfigMap", "bareme")["data"]["BAREME_ALLOWED_HOSTS"].split(",")
    headers = {
        header["name"]: header["value"]
        for header in container["readinessProbe"]["httpGet"]["httpHeaders"]
    }
    assert headers["Host"] in hosts
    waits = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert waits + 15 <= web["template"]["spec"]["terminationGracePeriodSeconds"]


def test_the_clock_does_not_die_with_a_machine() -> None:
    assert named("Deployment", "beat")["spec"]["replicas"] >= 2


def test_no_pod_of_just_any_namespace_reaches_the_web_server() -> None:
    """Past the ingress, with whatever it says of where it comes from."""
    [rule] = named("NetworkPolicy", "to-web")["spec"]["ingress"]
    assert all(place["namespaceSelector"] for place in rule["from"])
