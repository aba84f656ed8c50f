# The image of the controller: the binary, the shared libraries that it names, the certificates of the public CAs, and
# nothing else. Build it from a clone:
#   docker build -t tenon .
# Without a container engine, `./run image` executes the RUN lines of this file in a bare Debian folder.
# SPDX-License-Identifier: Apache-2.0
FROM debian:12 AS build
WORKDIR /tenon
COPY . .
RUN tools/install.sh image
RUN tools/image-root.sh /root-folder

FROM scratch
COPY --from=build /root-folder/ /
USER 65532:65532
ENTRYPOINT ["/usr/bin/tenon"]
CMD ["controller"]
