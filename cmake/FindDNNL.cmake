# Finds oneDNN by its header and library and defines DNNL::dnnl. oneDNN 2.x ships no pkg-config
# file, and Debian's CMake file of it asks for the headers of OpenCL, which softlab does not use.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl_version.h)
find_library(DNNL_LIBRARY dnnl)
mark_as_advanced(DNNL_INCLUDE_DIR DNNL_LIBRARY)

set(DNNL_VERSION "")
if(DNNL_INCLUDE_DIR)
    file(STRINGS "${DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h" lines
        REGEX "#define DNNL_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
    list(TRANSFORM lines REPLACE ".* ([0-9]+).*" "\\1")
    list(JOIN lines "." DNNL_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DNNL
    REQUIRED_VARS DNNL_LIBRARY DNNL_INCLUDE_DIR VERSION_VAR DNNL_VERSION HANDLE_VERSION_RANGE)
if(DNNL_FOUND AND NOT TARGET DNNL::dnnl)
    add_library(DNNL::dnnl UNKNOWN IMPORTED)
    set_target_properties(DNNL::dnnl PROPERTIES
        IMPORTED_LOCATION "${DNNL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${DNNL_INCLUDE_DIR}")
endif()
