# The image of Gatehouse. `script/package` makes the same one without a container engine; see docs/start/install.md.
#
#     docker build -t gatehouse .
#     docker run --rm --publish 127.0.0.1:8080:8080 gatehouse demo

ARG BUILDER=docker.io/library/swift:6.2-bookworm
FROM ${BUILDER} AS build
WORKDIR /source
# The packages are installed before the source is copied, so that a change of the source does not install them again.
COPY script/setup script/
RUN script/setup --package && rm -rf /var/lib/apt/lists/*
COPY . .
RUN script/package --image-root /image

# No base: the root has the program, its libraries, certificate authorities and one user. There is no shell.
FROM scratch
COPY --from=build /image/ /
USER 65532:65532
ENV XDG_STATE_HOME=/var/lib GATEHOUSE_DEMO_CONTAINER=1
VOLUME ["/var/lib/gatehouse"]
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/gatehouse"]
CMD ["serve", "--config", "/etc/gatehouse/gatehouse.yaml"]
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Gatehouse" \
    org.opencontainers.image.description="HTTP gateway that verifies Firebase sign-ins" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}"
